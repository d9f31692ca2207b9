/// One line of the server as a peer reads it: its op, and where its members are in its bytes. Members that are not
/// named here are checked as JSON and ignored, as the contract asks of peers.
struct ServerLine {
  enum Op: String, CaseIterable {
    case ok, result, welcome, pong, help, chains, explained, error
    case offer, notice, event, lapsed, replaced, removed, moved, missed, draining, ping

    /// True for the lines that answer a request or refuse a line.
    var isReply: Bool {
      switch self {
      case .ok, .result, .welcome, .pong, .help, .chains, .explained, .error: true
      default: false
      }
    }
  }

  /// The members that the simulator looks at.
  enum Member: String, CaseIterable {
    case op, id, status, code, topic, trace, chains
    case walk, chain, handler, mount, again, shadow, version, links, declared, outcome, skipped, truncated, why,
      cancelled
    case seq, payload, meta, from, retained, gone, count
    case atMost = "at_most"
    case timeoutMilliseconds = "timeout_ms"
  }

  /// The line's bytes without its LF.
  var bytes: [UInt8]
  var op = Op.ping
  private var members: [Member: Range<Int>] = [:]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Where the member's value is, with its quotes.
  subscript(member: Member) -> Range<Int>? {
    get { members[member] }
    set { members[member] = newValue }
  }

  /// The member's bytes as they are, with quotes.
  func raw(_ member: Member) -> ArraySlice<UInt8>? { self[member].map { bytes[$0] } }

  /// The member as an integer, if it is one.
  func integer(_ member: Member) -> Int? {
    guard let range = self[member] else { return nil }
    return bytes.integer(in: range)
  }

  /// The text between the quotes. The texts that the simulator uses are never escaped.
  func text(_ member: Member) -> ArraySlice<UInt8>? {
    guard let range = self[member], range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
    return bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
  }

  /// The text as a string, for names and for messages about faults.
  func string(_ member: Member) -> String? { text(member).map { String(decoding: $0, as: UTF8.self) } }

  var description: String { String(decoding: bytes, as: UTF8.self) }
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
}
