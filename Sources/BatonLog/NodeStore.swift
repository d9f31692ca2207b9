package import BatonLasting
internal import BatonStore

/// What lasts at a node of a cluster: its log in front, its file behind. What a leader is to keep goes into the log first, and into
/// its file when the log has it; a spare's file carries out what the log has. All files carry out the same bytes.
///
/// It has no sockets, no disk, no clock and no chance. All times are milliseconds of one clock.
package struct NodeStore {
  /// What happens.
  package enum Event {
    /// Of the stream: what `NodeLog` asked for.
    case log(NodeLog.Event)
    /// The node has the lease.
    case leads(epoch: Int64)
    /// The leader is to do this, after what it was given before.
    case give([StoreJob])
    /// The file has answered.
    case answered([StoreAnswer])
    /// It is as late as `wakeAt` said.
    case tick
  }

  /// What is to be done.
  package enum Effect {
    /// `look`, `read` and `writer`: see `NodeLog`.
    case stream(NodeLog.Effect)
    /// Have the file do this, after what it was given before, and say `answered`.
    case file([StoreJob])
    /// The leader may begin with what its file has.
    case isOpen
    /// For whoever gave jobs.
    case tell([StoreAnswer])
    /// The node leads no longer: why.
    case ends(String)
    /// A message of the stream is none of a log.
    case strange
    /// The stream was lost: the log begins again with what the file has.
    case beginsAgain
  }

  /// Jobs of the leader that are one record.
  private struct Batch {
    var generation: UInt64
    var last: UInt64
    /// Whether it was told that they failed.
    var isGivenUp = false
  }

  /// A step that the file has not committed.
  private struct Given {
    let step: LogStep
    var number: UInt64
    var batch: Batch?
  }

  private var log: NodeLog
  /// Log names of this process: chance that was drawn before.
  private let nameSeed: UInt64
  private var names: UInt64 = 0
  // The file:
  private var given: [Given] = []
  private var generation: UInt64 = 1
  private var number: UInt64 = 0
  /// When what has failed is tried again; `.max`: nothing has.
  private var nextTry: Int64 = .max
  /// What the facts of the file are asked for; nil: nothing.
  private var wantsBase: Wanted?
  private var isBaseAsked = false
  // The leader:
  private var isOpen = false
  private var waiting: [StoreJob] = []
  private var begun = 0
  private var underWay: Batch?
  /// Writes of generations before this one count no more.
  private var least: UInt64 = 0

  private enum Wanted {
    case leads(epoch: Int64)
    case begins
  }

  /// After so many milliseconds the file is tried again.
  private static let pause: Int64 = 1000
  /// Jobs of one record at most: who waits for the first must not wait for all of a flood.
  private static let mostJobs = 4096
  /// A record that has so many bytes is long enough.
  private static let enoughBytes = 512 << 10
  /// Records that the file has not committed: more are not written.
  private static let mostGiven = 8

  /// A node whose file has come so far; nil: it is empty, and was in no log. No message of the stream is longer than `mostBytes`.
  package init(_ position: LogPosition?, storeMs: Int64, lostMs: Int64, mostBytes: Int, nameSeed: UInt64) {
    log = NodeLog(position, storeMs: storeMs, lostMs: lostMs, mostBytes: mostBytes)
    (self.position, self.nameSeed) = (position, nameSeed)
  }

  /// When `tick` is due at the latest.
  package var wakeAt: Int64 { min(log.wakeAt, nextTry) }

  /// Why the node could not lead now; nil if it could.
  package func whyNot(at now: Int64) -> LogReader.Stop? { nextTry == .max ? log.whyNot(at: now) : .cannotWrite }

  /// The number of the first message that the stream had at the last look; nil: there was none.
  package var first: UInt64? { log.first }

  /// How far the file has come.
  package private(set) var position: LogPosition?

  /// The bytes that are free on its disk, as the file told last; nil: it has not.
  package private(set) var freeBytes: Int?

  /// Whether the log does not answer in time.
  package var isLate: Bool { underWay?.isGivenUp ?? false }

  /// Whether that is so, or the file does not take what the log has.
  package var isFailing: Bool { nextTry != .max || isLate }

  /// Whether all is carried out that was given.
  package var isIdle: Bool { begun == waiting.count && underWay == nil && given.isEmpty }

  /// Something has happened.
  package mutating func take(_ event: Event, at now: Int64) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .log(let event): tell(event, at: now, &effects)
    case .leads(let epoch): wantsBase = .leads(epoch: epoch)
    case .give(let jobs): if waiting.isEmpty { waiting = jobs } else { waiting += jobs }
    case .answered(let answers): take(answers, at: now, &effects)
    case .tick: tell(.tick, at: now, &effects)
    }
    if now >= nextTry { giveAgain(&effects) }
    askForBase(&effects)
    goOn(at: now, &effects)
    return effects
  }

  // MARK: The log

  private mutating func tell(_ event: NodeLog.Event, at now: Int64, _ effects: inout [Effect]) {
    for effect in log.take(event, at: now) {
      switch effect {
      case .look, .read, .writer: effects.append(.stream(effect))
      case .apply(let steps): for step in steps { give(step, nil, &effects) }
      case .written(let step):
        give(step, underWay, &effects)
        underWay = nil
      case .isOpen:
        isOpen = true
        effects.append(.isOpen)
      case .isLate: if let batch = underWay { fail(batch, &effects) }
      case .needsBase:
        wantsBase = .begins
        effects.append(.beginsAgain)
      case .ends(let why): effects.append(.ends(why))
      case .strange: effects.append(.strange)
      }
    }
  }

  // MARK: The file

  private mutating func give(_ step: LogStep, _ batch: Batch?, _ effects: inout [Effect]) {
    number += 1
    given.append(Given(step: step, number: number, batch: batch))
    // What has failed comes first.
    if nextTry == .max { effects.append(.file([write(step, number)])) }
  }

  private func write(_ step: LogStep, _ number: UInt64) -> StoreJob {
    .write(StoreWrite(generation: generation, number: number, change: .log(step)))
  }

  private mutating func giveAgain(_ effects: inout [Effect]) {
    nextTry = .max
    effects.append(
      .file(
        given.indices.map { place in
          number += 1
          given[place].number = number
          return write(given[place].step, number)
        }))
  }

  private mutating func take(_ answers: [StoreAnswer], at now: Int64, _ effects: inout [Effect]) {
    var told: [StoreAnswer] = []
    for answer in answers {
      switch answer {
      case .storedUpTo(let number): stored(upTo: number, at: now, &told, &effects)
      case .failed(let failed):
        guard failed == generation else { break }
        generation += 1
        nextTry = now + NodeStore.pause
        for batch in given.compactMap(\.batch) + [underWay].compactMap(\.self) { fail(batch, &told) }
      case .base(let base): take(base: base, at: now, &effects)
      case .hasFree(let bytes, _):
        freeBytes = bytes
        told.append(answer)
      default: told.append(answer)
      }
    }
    if !told.isEmpty { effects.append(.tell(told)) }
  }

  private mutating func stored(
    upTo number: UInt64, at now: Int64, _ told: inout [StoreAnswer], _ effects: inout [Effect]
  ) {
    let count = given.firstIndex { $0.number > number } ?? given.count
    guard count > 0 else { return }
    let last = given[count - 1].step.position
    let batch = given[..<count].last { $0.batch?.isGivenUp == false }?.batch
    given.removeFirst(count)
    position = last
    if let batch { told.append(.storedUpTo(batch.last)) }
    tell(.applied(last), at: now, &effects)
  }

  /// Where a log begins, the facts of this file are its first record: once the file has all that was written before.
  private mutating func askForBase(_ effects: inout [Effect]) {
    guard wantsBase != nil, !isBaseAsked, given.isEmpty else { return }
    isBaseAsked = true
    effects.append(.file([.readBase]))
  }

  private mutating func take(base: [UInt8]?, at now: Int64, _ effects: inout [Effect]) {
    isBaseAsked = false
    guard let wanted = wantsBase else { return }
    guard let base else {
      wantsBase = nil
      return effects.append(.ends("its disk does not give what a log begins with"))
    }
    wantsBase = nil
    names += 1
    let name = LogName(high: nameSeed, low: names)
    switch wanted {
    case .leads(let epoch): tell(.leads(epoch: epoch, name: name, base: base), at: now, &effects)
    case .begins: tell(.begins(name: name, base: base), at: now, &effects)
    }
  }

  // MARK: The leader

  /// Tells that these jobs failed, and all others of their generation with them.
  private mutating func fail(_ batch: Batch, _ told: inout [StoreAnswer]) {
    guard batch.generation >= least else { return }
    least = batch.generation + 1
    for place in given.indices where given[place].batch.map({ $0.generation < least }) ?? false {
      given[place].batch?.isGivenUp = true
    }
    if let open = underWay, open.generation < least { underWay?.isGivenUp = true }
    told.append(.failed(generation: batch.generation))
  }

  private mutating func fail(_ batch: Batch, _ effects: inout [Effect]) {
    var told: [StoreAnswer] = []
    fail(batch, &told)
    if !told.isEmpty { effects.append(.tell(told)) }
  }

  /// Hands on what is due: one record at a time to the log, and reads to the file behind what was written before them.
  private mutating func goOn(at now: Int64, _ effects: inout [Effect]) {
    while isOpen, begun < waiting.count {
      switch waiting[begun] {
      case .write(let write) where write.generation < least: begun += 1
      case .write:
        guard underWay == nil, nextTry == .max, given.count < NodeStore.mostGiven else { return dropBegun() }
        writeNext(at: now, &effects)
      default:
        guard underWay.map(\.isGivenUp) ?? true else { return dropBegun() }
        readNext(&effects)
      }
    }
    dropBegun()
  }

  /// Forgets what was handed on.
  private mutating func dropBegun() {
    // Each one is moved once on average.
    guard begun > waiting.count / 2 else { return }
    waiting.removeFirst(begun)
    begun = 0
  }

  /// Writes as many changes as are one record.
  private mutating func writeNext(at now: Int64, _ effects: inout [Effect]) {
    var changes = LogChanges()
    var batch: Batch?
    while begun < waiting.count, changes.count < NodeStore.mostJobs, changes.byteCount < NodeStore.enoughBytes,
      case .write(let write) = waiting[begun], write.generation == batch?.generation ?? write.generation
    {
      changes.add(write.change)
      batch = Batch(generation: write.generation, last: write.number)
      begun += 1
    }
    underWay = batch
    tell(.write(changes.bytes()), at: now, &effects)
  }

  /// Hands on the reads that come next.
  private mutating func readNext(_ effects: inout [Effect]) {
    let first = begun
    while begun < waiting.count, !waiting[begun].isChange { begun += 1 }
    effects.append(.file(Array(waiting[first..<begun])))
  }
}
