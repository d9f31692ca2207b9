/// One line of the server as a peer reads it: which op it is and where its members lie in its bytes. Members that
/// are not named here are checked as JSON and passed over, as the contract asks of peers.
struct ServerLine {
  enum Op: String, CaseIterable {
    case ok, result, welcome, pong, help, chains, explained, error
    case offer, notice, event, lapsed, replaced, removed, moved, missed, draining, ping

    /// True for the lines that answer a request or refuse a line, in the order of the lines they answer.
    var isDirect: Bool {
      switch self {
      case .ok, .welcome, .pong, .help, .chains, .explained, .error: true
      default: false
      }
    }
  }

  enum Member: String, CaseIterable {
    case op, id, offer, walk, status, by, payload, meta, hops, chain, handler, rank, position, links, topic
    case timeoutMilliseconds = "timeout_ms"
    case from, code, message, delivered, count, connection, chains, version, trace, truncated, server
    case isFor = "for"
    case deadlineMilliseconds = "deadline_ms"
  }

  /// The line's bytes without its LF.
  var bytes: [UInt8]
  var op = Op.ping
  /// Bytes that were unsent to its receiver when the server said it.
  var unsentBefore = 0
  private var starts = SIMD32<Int32>(repeating: -1)
  private var ends = SIMD32<Int32>(repeating: -1)

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Where the member's value lies, its quotes included.
  subscript(member: Member) -> Range<Int>? {
    get {
      let index = member.index
      return starts[index] < 0 ? nil : Int(starts[index])..<Int(ends[index])
    }
    set {
      starts[member.index] = Int32(newValue?.lowerBound ?? -1)
      ends[member.index] = Int32(newValue?.upperBound ?? -1)
    }
  }

  /// The member's bytes as they stand, quotes included.
  func raw(_ member: Member) -> ArraySlice<UInt8>? { self[member].map { bytes[$0] } }

  /// The member as an integer, where it is one.
  func integer(_ member: Member) -> Int? {
    guard let range = self[member] else { return nil }
    return bytes.integer(in: range)
  }

  /// What stands between the quotes; names, codes and topics of the vocabulary are never escaped.
  func text(_ member: Member) -> ArraySlice<UInt8>? {
    guard let range = self[member], range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
    return bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
  }

  /// The same as a string, for names and for messages about faults.
  func string(_ member: Member) -> String? { text(member).map { String(decoding: $0, as: UTF8.self) } }

  var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension ServerLine.Member {
  /// The place in the table of ranges.
  var index: Int {
    switch self {
    case .op: 0
    case .id: 1
    case .offer: 2
    case .walk: 3
    case .status: 4
    case .by: 5
    case .payload: 6
    case .meta: 7
    case .hops: 8
    case .chain: 9
    case .handler: 10
    case .rank: 11
    case .position: 12
    case .links: 13
    case .topic: 14
    case .timeoutMilliseconds: 15
    case .from: 16
    case .code: 17
    case .message: 18
    case .delivered: 19
    case .count: 20
    case .connection: 21
    case .chains: 22
    case .version: 23
    case .deadlineMilliseconds: 24
    case .isFor: 25
    case .trace: 26
    case .truncated: 27
    case .server: 28
    }
  }
}

extension [UInt8] {
  /// The integer literal that fills the range, or nil.
  func integer(in range: Range<Int>) -> Int? {
    var value = 0
    var index = range.lowerBound
    let isNegative = index < range.upperBound && self[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    guard index < range.upperBound, range.upperBound - index <= 18 else { return nil }
    while index < range.upperBound {
      let digit = Int(self[index]) - 48
      guard (0...9).contains(digit) else { return nil }
      value = value * 10 + digit
      index += 1
    }
    return isNegative ? -value : value
  }

  /// The first run of digits: the mark by which the simulator knows a payload's message.
  func mark(in range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index < range.upperBound, !(48...57).contains(self[index]) { index += 1 }
    guard index < range.upperBound else { return nil }
    var value = 0
    while index < range.upperBound, (48...57).contains(self[index]), value < 1 << 40 {
      value = value * 10 + Int(self[index]) - 48
      index += 1
    }
    return value
  }
}
