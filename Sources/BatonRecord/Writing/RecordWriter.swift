internal import BatonLasting

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Writes the files of a record: lines that are made go into the last file, contents first; then the next file begins, old
/// ones are taken away. `settle` does what is left to do, and can be called again after it has failed.
struct RecordWriter {
  private(set) var maker: LineMaker
  private var options: RecordOptions
  private var key: RecordKey?
  private let folder: RecordFolder
  private let place: RecordPlace
  private var file: OpenFile?
  /// The number of the last file.
  private var number: Int
  /// Whether the last line of the file is its head: the next file begins.
  private var hasEndedFile = false
  private var beginsAnew = false
  /// The bytes of all files but the last, as they were counted last.
  private var bytesBefore = 0
  private var headedAt: Int64 = 0
  private var keptAt = Int64.min
  private var toRemove: [Int] = []
  private let wall: () -> Int64

  /// How often it is looked what is to be taken away, and how often a head is made where nothing is written, in ms.
  private static let hour: Int64 = 3_600_000

  init(
    _ place: RecordPlace, _ maker: LineMaker, _ options: RecordOptions, _ key: RecordKey?, wall: @escaping () -> Int64
  ) {
    (self.place, self.maker, self.options, self.key, self.wall) = (place, maker, options, key, wall)
    folder = place.folder
    number = place.lastNumber
    headedAt = wall()
  }

  /// The bytes of all files.
  var bytes: Int { bytesBefore + (file?.bytes ?? 0) }

  /// Whether three quarters of what may be kept is there, and no days say when it goes.
  var isNearlyFull: Bool { options.keepBytes > 0 && options.keepDays == 0 && bytes > options.keepBytes / 4 * 3 }

  mutating func add(_ item: RecordItem, at wall: Int64) { maker.add(item, at: wall) }

  /// The operator's file was read anew: the next file of the record begins.
  mutating func take(_ options: RecordOptions, _ key: RecordKey?) {
    self.options = options
    self.key = key
    maker.take(options)
    beginsAnew = true
  }

  /// The start's line is the first of a new file.
  mutating func start(_ line: (inout LineMaker) -> Void) throws(RecordError) {
    try openNext()
    line(&maker)
    try settle()
  }

  /// The time.
  var now: Int64 { wall() }
  /// The number of the last head; 0 before the first.
  private(set) var lastHead = 0

  /// What was told of it to the router is told.
  mutating func forgetTold() { maker.forgetTold() }

  /// When a head is due, in milliseconds of the clock on the wall.
  var headDue: Int64 { headedAt + (maker.unheaded > 0 ? Int64(options.headMilliseconds) : Self.hour) }

  mutating func makeHead() {
    maker.addHead(key, at: wall())
    lastHead = maker.n
    headedAt = wall()
  }

  /// Writes what is made, and does what follows from that.
  mutating func settle() throws(RecordError) {
    try write()
    if !hasEndedFile, let file, file.bytes >= options.fileBytes || beginsAnew {
      makeHead()
      hasEndedFile = true
      try write()
    }
    if hasEndedFile {
      let isFile = beginsAnew
      try openNext()
      (hasEndedFile, beginsAnew) = (false, false)
      if isFile { maker.addFile(at: wall()) }
      keptAt = .min
      try write()
    }
    try keep()
  }

  /// The end in order.
  mutating func stop() throws(RecordError) {
    maker.addStop(at: wall())
    makeHead()
    try write()
    file = nil
  }

  // MARK: Files

  private mutating func write() throws(RecordError) {
    guard maker.hasLines || !maker.contents.isEmpty else { return }
    guard let file else { throw RecordError("the record has no file to write to") }
    try place.check(file)
    try file.contents.write(&maker.contents, syncs: options.syncs)
    try file.chain.write(&maker.chain, syncs: options.syncs)
  }

  private mutating func openNext() throws(RecordError) {
    try place.check(nil)
    let next = try OpenFile(folder, number + 1)
    do throws(RecordError) {
      // The file before may have been written without.
      if options.syncs { try place.sync(number) }
    } catch {
      // The next try finds the number free.
      next.remove()
      throw error
    }
    bytesBefore += file?.bytes ?? 0
    file = next
    number += 1
  }

  // MARK: What is taken away

  private mutating func keep() throws(RecordError) {
    let now = wall()
    guard toRemove.isEmpty, keptAt == .min || now - keptAt >= Self.hour || now < keptAt else { return try remove() }
    keptAt = now
    var files: [(number: Int, bytes: Int, age: Int64)] = []
    for number in try folder.numbers() where number < self.number {
      guard let chain = RecordFolder.facts(folder.chain(number)) else { continue }
      let contents = RecordFolder.facts(folder.contents(number))?.bytes ?? 0
      files.append((number, chain.bytes + contents, now - Int64(chain.changed) * 1000))
    }
    bytesBefore = files.reduce(0) { $0 + $1.bytes }
    let day: Int64 = 86_400_000
    for one in files {
      let isTooMuch = options.keepBytes > 0 && bytes > options.keepBytes
      let isTooOld = options.keepDays > 0 && one.age > Int64(options.keepDays) * day
      guard isTooMuch || isTooOld else { break }
      guard let last = try? LastLine.read(folder.chain(one.number)) else { break }
      maker.addRemoved(RecordFolder.name(one.number), last: last.n, hash: last.hash, at: now)
      bytesBefore -= one.bytes
      toRemove.append(one.number)
    }
    // Whoever checks the record takes it for gone only where a head covers that.
    if !toRemove.isEmpty { makeHead() }
    for one in files where options.keepContentsDays > 0 && one.age > Int64(options.keepContentsDays) * day {
      unlink(folder.contents(one.number))
    }
    try remove()
  }

  /// The record says that a file goes before it does.
  private mutating func remove() throws(RecordError) {
    guard !toRemove.isEmpty else { return }
    try write()
    for number in toRemove {
      unlink(folder.contents(number))
      unlink(folder.chain(number))
    }
    toRemove = []
  }
}
