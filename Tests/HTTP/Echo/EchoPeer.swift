import HTTP
import UV

/// One connection: requests, and after an upgrade a WebSocket.
final class EchoPeer: StreamOwner {
  private let stream: Stream
  private let piece: Int
  private var requests = RequestReader(maxHead: 16384)
  private var frames: FrameReader?
  private var head: RequestHead?
  /// The body, or the message, so far.
  private var held: [UInt8] = []
  private var room = [UInt8](repeating: 0, count: 64 << 10)
  private var output: [UInt8] = []
  /// What is being written.
  private var sent = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var closes = false

  init(_ stream: Stream, piece: Int) {
    self.stream = stream
    self.piece = piece
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: Stream) {
    var start = 0
    while start < bytes.count, !closes {
      let end = start + min(piece, bytes.count - start)
      read(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
    }
    flush()
  }

  func ended(_ stream: Stream) {
    closes = true
    flush()
  }

  func wrote(_ count: Int, to stream: Stream) {
    freeSent()
    flush()
  }

  func failed(_ stream: Stream, _ error: UVError) { stream.close() }

  func closed(_ stream: Stream) { freeSent() }

  private func freeSent() {
    sent.deallocate()
    sent = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  }

  private func flush() {
    guard stream.writing == nil else { return }
    if output.isEmpty {
      if closes { stream.close() }
      return
    }
    sent = .allocate(byteCount: output.count, alignment: 1)
    sent.copyBytes(from: output)
    output.removeAll()
    do { try stream.write(UnsafeRawBufferPointer(sent)) } catch { stream.close() }
  }

  private func read(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while !closes {
      let goesOn = frames == nil ? readRequest(bytes, &position) : readFrame(bytes, &position)
      if !goesOn { return }
    }
  }

  // MARK: Requests

  private func readRequest(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
    switch requests.next(in: bytes, at: &position) {
    case .needsMore: return false
    case .head(let head):
      self.head = head
      held = []
      if head.expectsContinue { output += Array("HTTP/1.1 100 Continue\r\n\r\n".utf8) }
    case .body(let range): held += bytes[range]
    case .end: answer()
    case .fault(let fault):
      respond("\(fault.status) Refused", body: Array("\(fault.message)\n".utf8), keeps: false)
    }
    return true
  }

  private func answer() {
    guard let head else { return }
    guard let opening = head.wantsUpgrade else {
      return respond("200 OK", body: held, keeps: head.keepsAlive, isHead: head.method == .head)
    }
    if let fault = opening.faults.first {
      return respond("\(fault.status) Refused", body: Array("\(fault.message)\n".utf8), keeps: head.keepsAlive)
    }
    let chosen = opening.protocols.first.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
    let lines =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(chosen)"
      + "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(for: opening.key))\r\n\r\n"
    output += Array(lines.utf8)
    frames = FrameReader()
    held = []
  }

  private func respond(_ status: String, body: [UInt8], keeps: Bool, isHead: Bool = false) {
    let connection = keeps ? "" : "Connection: close\r\n"
    output += Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\n\(connection)\r\n".utf8)
    if !isHead { output += body }
    if !keeps { closes = true }
  }

  // MARK: Frames

  private func readFrame(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
    guard var reader = frames else { return false }
    let event = room.withUnsafeMutableBytes { reader.next(in: bytes, at: &position, into: $0) }
    frames = reader
    switch event {
    case .needsMore: return false
    case .text(let count, let endsMessage):
      held += room[..<count]
      if endsMessage { sendMessage() }
    case .ping(let payload): output += FrameWriter.pong(payload)
    case .pong: break
    case .close(_, let reply): close(reply, "")
    case .fault(let code, let message): close(code.rawValue, message)
    }
    return true
  }

  private func sendMessage() {
    withUnsafeTemporaryAllocation(byteCount: FrameWriter.longestHead, alignment: 8) { head in
      let count = FrameWriter.textHead(of: held.count, into: head)
      output += head[..<count]
    }
    output += held
    held = []
  }

  private func close(_ code: UInt16, _ reason: String) {
    output += FrameWriter.close(code, reason: reason)
    closes = true
  }
}
