/// Cuts what a NATS server sends into its messages. It keeps what has not come to its end; nothing is longer than a limit.
struct NATSReader {
  /// What a server says.
  enum Word: Equatable {
    /// What the server says of itself, as JSON.
    case info([UInt8])
    case message(NATSMessage)
    case ping, pong
    /// The server's complaint, without its quotes.
    case error(String)
  }

  /// The server breaks the protocol: what is wrong.
  struct Fault: Error, Equatable { let what: String }

  /// The longest line; INFO of a large cluster is the longest one.
  static let mostLine = 256 << 10
  /// The most bytes of one message: more than any answer to what this client asks.
  static let mostPayload = 16 << 20

  private var bytes: [UInt8] = []
  private var read = 0
  /// The message whose bytes have not all come.
  private var begun: (message: NATSMessage, head: Int, total: Int)?

  mutating func feed(_ new: UnsafeRawBufferPointer) {
    if read == bytes.count || read > 64 << 10 {
      bytes.removeFirst(read)
      read = 0
    }
    bytes.append(contentsOf: new)
  }

  /// The next word; nil if it has not come whole.
  mutating func next() throws(Fault) -> Word? {
    while true {
      if let message = try takeBegun() { return .message(message) }
      guard begun == nil, let line = try takeLine() else { return nil }
      if let word = try word(of: line) { return word }
    }
  }

  private mutating func takeLine() throws(Fault) -> [UInt8]? {
    guard let end = bytes[read...].firstIndex(of: 0x0A) else {
      if bytes.count - read > NATSReader.mostLine { throw Fault(what: "it sends a line without an end") }
      return nil
    }
    var line = bytes[read..<end]
    read = end + 1
    if line.last == 0x0D { line.removeLast() }
    return Array(line)
  }

  /// Nil for what says nothing, and for the head of a message.
  private mutating func word(of line: [UInt8]) throws(Fault) -> Word? {
    let words = line.split(separator: 0x20, maxSplits: 1).map { Array($0) }
    let rest = words.count > 1 ? words[1] : []
    switch words.first.map({ String(decoding: $0, as: UTF8.self).uppercased() }) {
    case "INFO": return .info(rest)
    case "MSG": try begin(rest, hasHeaders: false)
    case "HMSG": try begin(rest, hasHeaders: true)
    case "PING": return .ping
    case "PONG": return .pong
    case "-ERR": return .error(String(decoding: rest.filter { $0 != UInt8(ascii: "'") }, as: UTF8.self))
    case "+OK", nil: break
    default: throw Fault(what: "what answers there does not speak NATS")
    }
    return nil
  }

  /// `SUBJECT SID [REPLY] [HEAD] TOTAL`.
  private mutating func begin(_ rest: [UInt8], hasHeaders: Bool) throws(Fault) {
    var words = rest.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).map { String(decoding: $0, as: UTF8.self) }
    let total = words.popLast().flatMap { Int($0) }
    let head = hasHeaders ? words.popLast().flatMap { Int($0) } : 0
    guard let total, let head, (0...NATSReader.mostPayload).contains(total), (0...total).contains(head),
      words.count == 2 || words.count == 3
    else { throw Fault(what: "the head of a message is not right") }
    begun = (NATSMessage(subject: words[0], reply: words.count == 3 ? words[2] : nil), head, total)
  }

  private mutating func takeBegun() throws(Fault) -> NATSMessage? {
    guard let (started, head, total) = begun, bytes.count - read >= total + 2 else { return nil }
    guard bytes[read + total] == 0x0D, bytes[read + total + 1] == 0x0A else {
      throw Fault(what: "a message is longer than it says")
    }
    var message = started
    message.take(head: bytes[read..<read + head])
    message.payload = Array(bytes[read + head..<read + total])
    read += total + 2
    begun = nil
    return message
  }
}
