public import HTTP

/// The events of requests that come in pieces, as lines. However the bytes are cut, the lines must be the same.
public func requestEvents(of pieces: [[UInt8]], maxHead: Int = 16384) -> [String] {
  var reader = RequestReader(maxHead: maxHead)
  var events = RequestEvents(maxHead: maxHead)
  for piece in pieces { events.read(piece, with: &reader) }
  return events.lines
}

/// Collects the events of a reader of requests.
public struct RequestEvents {
  /// An event each; bytes are in hexadecimal, and the body of a request is one line.
  public private(set) var lines: [String] = []
  private let maxHead: Int
  private var body: [UInt8] = []
  private var hasFault = false
  private var isInside = false

  /// Before the first event.
  public init(maxHead: Int) { self.maxHead = maxHead }

  /// Gives the reader a piece. Traps where it breaks its word.
  public mutating func read(_ piece: [UInt8], with reader: inout RequestReader) {
    piece.withUnsafeBytes { bytes in
      var position = 0
      while take(&reader, bytes, &position) {}
    }
    precondition(reader.heldBytes <= 3 * maxHead, "\(reader.heldBytes) bytes are kept")
    if isInside || hasFault { precondition(!reader.isBetweenRequests) }
  }

  private mutating func take(
    _ reader: inout RequestReader, _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) -> Bool {
    let before = position
    let event = reader.next(in: bytes, at: &position)
    precondition(before <= position && position <= bytes.count)
    switch event {
    case .needsMore:
      precondition(position == bytes.count, "bytes are left")
      return false
    case .head(let head):
      precondition(!isInside && !hasFault)
      isInside = true
      lines.append("head \(described(head))")
    case .body(let range):
      precondition(isInside && !range.isEmpty && before <= range.lowerBound && range.upperBound == position)
      body += bytes[range]
    case .end:
      precondition(isInside && reader.isBetweenRequests)
      isInside = false
      flush()
      lines.append("end")
    case .fault(let fault):
      precondition(!hasFault && position == bytes.count)
      hasFault = true
      flush()
      lines.append("fault \(fault.status) \(fault.message)")
    }
    return true
  }

  /// What of a body has come is told before what ends it. At the end of the bytes it is not told.
  private mutating func flush() {
    if !body.isEmpty { lines.append("body \(hex(body))") }
    body = []
  }

  private func described(_ head: RequestHead) -> String {
    let query = head.query.map { "?" + String(decoding: $0, as: UTF8.self) } ?? ""
    let names = ["host", "accept", "connection", "content-type", "x"]
    let fields = names.flatMap { name in head.fields(name).map { "\(name)=\(hex(Array($0.utf8)))" } }
    let opening = head.wantsUpgrade.map { opening in
      " upgrade \(opening.key) \(opening.protocols) \(opening.faults.map { "\($0.status)" })"
    }
    let kind = "\(head.keepsAlive ? "keeps" : "closes")\(head.expectsContinue ? " continue" : "")"
    return "\(name(head.method)) \(String(decoding: head.path, as: UTF8.self))\(query) \(head.version) \(head.framing) "
      + "\(kind) \(fields.joined(separator: " "))\(opening ?? "")"
  }

  private func name(_ method: RequestHead.Method) -> String {
    switch method {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .options: "OPTIONS"
    case .other(let name): name
    }
  }
}

/// Bytes in hexadecimal digits, two each.
public func hex(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
