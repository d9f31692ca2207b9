internal import BatonCore
internal import BatonLasting

/// Makes lines: what the router tells becomes a line of the chain, and perhaps one of the contents. It knows no file.
struct LineMaker {
  /// The number of the last line, and the hash of its bytes.
  private(set) var n: Int
  private(set) var previous: [UInt8]
  /// Bytes that are to be written, with their line feeds.
  var chain: [UInt8] = []
  var contents: [UInt8] = []
  /// The ends among them that the router waits for.
  private(set) var ends = 0
  /// The lines that no head covers yet.
  private(set) var unheaded = 0
  /// Heads among them, as objects of JSON for those who keep them elsewhere.
  private(set) var heads: [String] = []
  private let start: String
  private var options: RecordOptions
  /// The files of the operator by their numbers.
  private var files: [Int: String] = [:]
  private var fileNumber = 0
  private var line = LineText()
  private var beside = LineText()
  private var time = LineTime()
  /// Draws the bytes that keep digests from being guessed.
  private let salt: () -> [UInt8]

  /// The operator's files that are remembered.
  private static let mostFiles = 10_000

  init(
    after n: Int, _ previous: [UInt8], start: String, _ options: RecordOptions, salt: @escaping () -> [UInt8]
  ) {
    (self.n, self.previous, self.start, self.options, self.salt) = (n, previous, start, options, salt)
    files[0] = options.file
  }

  /// What was told of it to the router is told.
  mutating func forgetTold() { (ends, heads) = (0, []) }

  var hasLines: Bool { !chain.isEmpty }

  /// The operator's file was read anew.
  mutating func take(_ options: RecordOptions) {
    self.options = options
    fileNumber += 1
    files[fileNumber] = options.file
    files[fileNumber - Self.mostFiles] = nil
  }

  // MARK: Kinds

  mutating func add(_ item: RecordItem, at wall: Int64) {
    switch item {
    case .end(let end):
      add(end, at: wall)
      ends += 1
    case .dead(let stored, let chain, let tries, let cause):
      begin("dead", at: wall)
      line.text(",\"stored\":", stored)
      line.text(",\"chain\":", chain)
      line.number(",\"tries\":", tries)
      line.text(",\"cause\":", "\(cause)")
      finish()
    case .missed(let count, let ago):
      begin("missed", at: wall)
      line.number(",\"count\":", count)
      line.text(",\"since\":", time.text(wall - Int64(ago / 1000)))
      finish()
    }
  }

  mutating func addStart(
    version: String, before: String?, isClean: Bool, torn: Int, isAnew: Bool, at wall: Int64
  ) {
    begin("start", at: wall)
    line.text(",\"version\":", version)
    line.text(",\"start\":", start)
    line.text(",\"file\":", options.file)
    line.raw(",\"settings\":".utf8)
    line.raw(options.shown.utf8)
    if let before { line.text(",\"before\":", before) }
    line.literal(isClean ? ",\"clean\":true" : ",\"clean\":false")
    if torn > 0 { line.number(",\"torn\":", torn) }
    if isAnew { line.literal(",\"anew\":true") }
    finish()
  }

  mutating func addFile(at wall: Int64) {
    begin("file", at: wall)
    line.text(",\"file\":", options.file)
    line.raw(",\"settings\":".utf8)
    line.raw(options.shown.utf8)
    finish()
  }

  mutating func addRemoved(_ name: String, last: Int, hash: [UInt8], at wall: Int64) {
    begin("removed", at: wall)
    line.text(",\"name\":", name)
    line.number(",\"last\":", last)
    line.text(",\"hash\":", hash)
    finish()
  }

  mutating func addStop(at wall: Int64) {
    begin("stop", at: wall)
    finish()
  }

  /// A head: it covers all before it, and itself.
  mutating func addHead(_ key: RecordKey?, at wall: Int64) {
    begin("head", at: wall)
    let before = (n: n, previous: String(decoding: previous, as: UTF8.self), at: time.text(wall))
    var beside = "{\"n\":\(before.n),\"previous\":\"\(before.previous)\",\"at\":\"\(before.at)\""
    if let key, let signature = key.sign(Head.text(n: before.n, at: before.at, previous: before.previous)) {
      line.text(",\"key\":", key.name)
      line.text(",\"signature\":", signature)
      beside += ",\"key\":\"\(key.name)\",\"signature\":\"\(signature)\""
    }
    finish()
    heads.append(beside + "}")
    unheaded = 0
  }

  // MARK: Ends

  private mutating func add(_ end: RecordedEnd, at wall: Int64) {
    let head = end.head
    begin("end", at: wall)
    line.text(",\"start\":", start)
    line.number(",\"walk\":", head.walk)
    line.text(",\"chain\":", end.part(.chain))
    if let version = head.version { line.number(",\"version\":", version) }
    if let file = files[head.file], !file.isEmpty { line.text(",\"file\":", file) }
    line.json(",\"topic\":", end.part(.topic))
    line.json(",\"from\":", end.part(.from))
    if !end.part(.identity).isEmpty { line.text(",\"identity\":", end.part(.identity)) }
    if let door = head.door { line.text(",\"door\":", "\(door)") }
    line.json(",\"traceparent\":", end.part(.traceparent))
    if head.isBroadcast { line.literal(",\"for\":\"broadcast\"") }
    if head.isAll { line.literal(",\"mode\":\"all\"") }
    if !head.stored.isEmpty {
      line.text(",\"stored\":", head.stored)
      line.number(",\"try\":", head.attempt)
      if head.isFinal { line.literal(",\"final\":true") }
    }
    line.text(",\"status\":", "\(head.status)")
    line.json(",\"by\":", end.part(.by))
    if let cause = head.cause { line.text(",\"cause\":", "\(cause)") }
    line.number(",\"hops\":", head.hops)
    if head.isAgain { line.literal(",\"again\":true") }
    line.number(",\"us\":", head.microseconds)
    if let wait = head.keyWait { line.number(",\"key_wait_us\":", wait) }
    line.literal(",\"steps\":[")
    line.json("", end.part(.steps))
    line.literal("]")
    if head.isTruncated { line.literal(",\"truncated\":true") }
    if let hash = addContents(of: end) { line.text(",\"contents\":", hash) }
    finish()
  }

  /// The line of the other file, if there is something to say. Returns its hash.
  private mutating func addContents(of end: RecordedEnd) -> [UInt8]? {
    let takesPayloads = options.payload != .none
    let parts: [RecordedEnd.Part] = takesPayloads ? [.key, .said, .payload, .meta, .after, .rewritten] : [.key, .said]
    guard parts.contains(where: { !end.part($0).isEmpty }) else { return nil }
    beside.removeAll()
    beside.number("{\"n\":", n)
    beside.text(",\"salt\":", Digests.hex(salt()))
    beside.json(",\"key\":", end.part(.key))
    if !end.part(.said).isEmpty {
      beside.literal(",\"said\":[")
      beside.json("", end.part(.said))
      beside.literal("]")
    }
    if takesPayloads { addPayloads(of: end) }
    beside.literal("}")
    let hash = Digests.hex(of: beside.bytes)
    contents.append(contentsOf: beside.bytes)
    contents.append(UInt8(ascii: "\n"))
    return hash
  }

  private mutating func addPayloads(of end: RecordedEnd) {
    var masked = 0
    var leftOut: StaticString?
    func kept(_ bytes: ArraySlice<UInt8>, _ root: PayloadMask.Root) -> [UInt8]? {
      switch PayloadMask.mask(bytes, options.masks, in: root) {
      case .kept(let bytes, let count):
        masked += count
        return bytes
      case .leftOut(let why):
        leftOut = why
        return nil
      }
    }
    let isWhole = options.payload == .whole
    for (part, root, whole, digest) in Self.members where !end.part(part).isEmpty {
      guard let bytes = kept(end.part(part), root) else { continue }
      if isWhole { beside.text(whole, bytes) } else { beside.text(digest, Digests.hex(of: bytes)) }
    }
    let rewritten = Rewriting.all(in: end.part(.rewritten))
    if !rewritten.isEmpty { beside.literal(",\"rewritten\":[") }
    for (number, one) in rewritten.enumerated() {
      beside.number(number == 0 ? "{\"step\":" : ",{\"step\":", one.step)
      if let bytes = one.bytes, let kept = kept(bytes, .payload) {
        if isWhole {
          beside.text(",\"payload\":", kept)
        } else {
          beside.text(",\"payload_sha256\":", Digests.hex(of: kept))
        }
      } else if one.bytes == nil {
        leftOut = "room"
      }
      beside.literal("}")
    }
    if !rewritten.isEmpty { beside.literal("]") }
    if masked > 0 { beside.number(",\"masked\":", masked) }
    if let leftOut { beside.text(",\"left_out\":", "\(leftOut)") }
  }

  private static let members: [(RecordedEnd.Part, PayloadMask.Root, whole: StaticString, digest: StaticString)] = [
    (.meta, .meta, ",\"meta\":", ",\"meta_sha256\":"), (.payload, .payload, ",\"payload\":", ",\"payload_sha256\":"),
    (.after, .payload, ",\"after\":", ",\"after_sha256\":"),
  ]

  // MARK: Lines

  private mutating func begin(_ kind: StaticString, at wall: Int64) {
    n += 1
    line.removeAll()
    line.number("{\"n\":", n)
    line.text(",\"previous\":", previous)
    line.text(",\"at\":", time.text(wall))
    line.text(",\"kind\":", "\(kind)")
  }

  private mutating func finish() {
    line.literal("}")
    previous = Digests.hex(of: line.bytes)
    chain.append(contentsOf: line.bytes)
    chain.append(UInt8(ascii: "\n"))
    unheaded += 1
  }
}

/// What a head signs.
enum Head {
  static func text(n: Int, at: String, previous: String) -> [UInt8] {
    Array("baton record head \(n) \(at) \(previous)".utf8)
  }
}
