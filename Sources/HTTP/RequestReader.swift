/// Reads the requests of one connection, of HTTP/1.0 and 1.1 (RFC 9112). What is not plainly right is a fault: a proxy
/// on the way may have understood it in another way.
///
/// The events do not depend on how the bytes were cut, but for how many `body` there are. A byte is looked at once, or
/// twice where a head comes in pieces.
public struct RequestReader: Sendable {
  /// What the bytes say.
  public enum Event: Sendable {
    /// All bytes were read.
    case needsMore
    /// A request begins. Any number of `body` and one `end` follow, also where it has no body.
    case head(RequestHead)
    /// Bytes of the body: where they stand in `bytes`.
    case body(Range<Int>)
    /// The request ends; the next one begins at `position`.
    case end
    /// Nothing follows.
    case fault(RequestFault)
  }

  private enum State {
    /// Lines up to an empty one.
    case head, trailers
    /// So many bytes of a body that is not chunked.
    case length(Int)
    /// The line before a chunk.
    case size(ChunkSize)
    /// So many bytes of a chunk; none are left: the CR behind it, then the LF.
    case chunk(Int), chunkLF
    case failed
  }

  /// The most bytes of a head with its empty line, of the trailers of a request, and of its extensions of chunks.
  public let maxHead: Int
  private var state = State.head
  private var lines = HeadLines()
  /// The head, or the trailers, as far as they came in pieces.
  private var held: [UInt8] = []
  /// In the head or the trailers: where the line under way begins, and how far nothing but text was found.
  private var lineStart = 0
  private var scanned = 0
  /// Bytes of extensions of chunks in this request.
  private var extensions = 0

  /// A reader before the first byte.
  ///
  /// - Parameter maxHead: the most bytes of a head, with its empty line; at least 1.
  public init(maxHead: Int) { self.maxHead = max(1, min(maxHead, Int(Int32.max))) }

  /// Whether no byte of a next request has come.
  public var isBetweenRequests: Bool {
    if case .head = state { return held.isEmpty }
    return false
  }

  /// How many bytes the chunk under way has announced that have not come.
  public var leftOfChunk: Int {
    if case .chunk(let count) = state { return count }
    return 0
  }

  /// What it keeps of an unfinished head, in bytes. At most three times `maxHead`, because a field may take four bytes,
  /// and its place eight.
  public var heldBytes: Int { held.count + lines.places.count * MemoryLayout<FieldPlace>.stride }

  /// Reads on in `bytes` from `position`, and moves it. Returns with each event: call it until it needs more.
  public mutating func next(in bytes: UnsafeRawBufferPointer, at position: inout Int) -> Event {
    do {
      return try read(bytes.bytes, at: &position)
    } catch {
      state = .failed
      reset()
      position = bytes.count
      return .fault(error)
    }
  }

  private mutating func read(_ bytes: RawSpan, at position: inout Int) throws(RequestFault) -> Event {
    while true {
      switch state {
      case .head, .trailers:
        guard position < bytes.byteCount else { return .needsMore }
        guard let event = try readLines(bytes, at: &position) else { return .needsMore }
        return event
      case .length(let count):
        if count == 0 { return ended() }
        guard let part = RequestReader.part(of: count, bytes, at: &position) else { return .needsMore }
        state = .length(count - part.count)
        return .body(part)
      case .chunk(let count) where count > 0:
        guard let part = RequestReader.part(of: count, bytes, at: &position) else { return .needsMore }
        state = .chunk(count - part.count)
        return .body(part)
      case .size(var size):
        let isWhole = try size.read(bytes, at: &position, extensions: &extensions, most: maxHead)
        state = !isWhole ? .size(size) : size.value > 0 ? .chunk(size.value) : .trailers
        if !isWhole { return .needsMore }
      case .chunk, .chunkLF:
        guard position < bytes.byteCount else { return .needsMore }
        var isLF = false
        if case .chunkLF = state { isLF = true }
        guard bytes[position] == (isLF ? 0x0A : 0x0D) else {
          throw RequestFault("a chunk is longer than it says; CR LF must follow its last byte")
        }
        position += 1
        state = isLF ? .size(ChunkSize()) : .chunkLF
      case .failed:
        position = bytes.byteCount
        return .needsMore
      }
    }
  }

  /// The next bytes of a body, at most `count`; nil if none have come.
  private static func part(of count: Int, _ bytes: RawSpan, at position: inout Int) -> Range<Int>? {
    let start = position
    guard start < bytes.byteCount else { return nil }
    position += min(count, bytes.byteCount - start)
    return start..<position
  }

  private mutating func ended() -> Event {
    state = .head
    extensions = 0
    return .end
  }

  private mutating func reset() {
    held = []
    lines = HeadLines()
    (lineStart, scanned) = (0, 0)
  }
}

/// Heads and trailers.
extension RequestReader {
  /// Reads lines up to the empty one; nil if it has not come. A head that is whole in `bytes` is read in place.
  private mutating func readLines(_ bytes: RawSpan, at position: inout Int) throws(RequestFault) -> Event? {
    let (start, before) = (position, held.count)
    let count = min(bytes.byteCount - start, maxHead - before)
    let end: Int?
    if before == 0 {
      end = try scan(bytes.extracting(start..<start + count))
      if end == nil { held = bytes.copy(start..<start + count) }
    } else {
      bytes.extracting(start..<start + count).withUnsafeBytes { held.append(contentsOf: $0) }
      // Taken out, so that it can be read while this value changes.
      let text = held
      held = []
      end = try scan(text.span.bytes)
      held = text
    }
    guard let end else {
      position += count
      return nil
    }
    position = start + end - before
    if case .trailers = state {
      reset()
      return ended()
    }
    held.removeLast(max(0, held.count - end))
    let head = try lines.head(before == 0 ? bytes.copy(start..<start + end) : held)
    reset()
    switch head.framing {
    case .none: state = .length(0)
    case .length(let count): state = .length(count)
    case .chunked: state = .size(ChunkSize())
    }
    return .head(head)
  }

  /// Takes in the lines of `text`, which is all that has come of the head. The end of the head; nil if it has not come.
  private mutating func scan(_ text: RawSpan) throws(RequestFault) -> Int? {
    if scanned == 0, text.byteCount > 0, case .head = state { try RequestReader.checkFirst(text[0]) }
    while let at = text.firstControl(from: scanned, before: text.byteCount) {
      switch text[at] {
      case 0x09: scanned = at + 1
      case 0x0D:
        scanned = at
        if at + 1 == text.byteCount { return try whatIsMissing(text) }
        guard text[at + 1] == 0x0A else { throw RequestFault("a CR without its LF stands in the \(part)") }
        if at == lineStart, try takeEmptyLine() { return at + 2 }
        try takeLine(lineStart..<at, text)
        (lineStart, scanned) = (at + 2, at + 2)
      case 0x0A: throw RequestFault("an LF without its CR stands in the \(part); end lines with CR LF")
      default: throw RequestFault("a control character, \(text[at]), stands in the \(part)")
      }
    }
    scanned = text.byteCount
    return try whatIsMissing(text)
  }

  /// No request begins with these, but what people often send to the wrong place does.
  private static func checkFirst(_ byte: UInt8) throws(RequestFault) {
    switch byte {
    case 0x16:
      throw RequestFault(
        "this looks like TLS, and this place speaks plain HTTP; ask for http://, or let the server listen with "
          + "--http https:HOST:PORT")
    case UInt8(ascii: "{"):
      throw RequestFault(
        "this looks like a line of JSON, and this place speaks HTTP; send lines to the place that the server names with "
          + "\"listening on\", or as messages of a WebSocket to /ws")
    default: break
    }
  }

  private func whatIsMissing(_ text: RawSpan) throws(RequestFault) -> Int? {
    if text.byteCount < maxHead { return nil }
    throw RequestFault(status: 431, "the \(part) is longer than \(maxHead) bytes (max_head); send less of it")
  }

  /// What the lines are, for people.
  private var part: String {
    if case .trailers = state { return "part behind the last chunk" }
    return "head of the request"
  }

  private func takeEmptyLine() throws(RequestFault) -> Bool {
    if case .trailers = state { return true }
    if lines.hasRequestLine { return true }
    throw RequestFault("an empty line stands before the request; begin with METHOD /PATH HTTP/1.1")
  }

  private mutating func takeLine(_ line: Range<Int>, _ text: RawSpan) throws(RequestFault) {
    guard case .trailers = state else { return try lines.take(line, in: text) }
    let name = try HeadLines.name(line, in: text)
    for word in RequestReader.notInTrailers where text.equals(name, word) {
      throw RequestFault("the header \(word) must not stand behind the last chunk")
    }
  }

  /// What frames, routes, or changes what a request means (RFC 9110, section 6.5.1). Other trailers are dropped.
  private static let notInTrailers: [StaticString] = [
    "content-length", "transfer-encoding", "host", "connection", "keep-alive", "te", "trailer", "upgrade", "expect",
    "content-type", "content-encoding", "content-range", "authorization",
  ]
}
