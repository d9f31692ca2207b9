import BatonClient
import TLS
import UV

/// Asks a server for one line, without a client of the library: what answers may be a spare of a cluster, which says who leads
/// and closes.
enum OneLine {
  /// The first line that the server says, without its end; nil if it says none. The caller waits.
  static func ask(_ line: String, at place: String, authorities: String?) -> Payload? {
    let (kind, rest) = split(place)
    guard let endpoint = Endpoint(rest), let loop = try? Loop() else { return nil }
    var files = TLSContext.Files()
    files.authorities = authorities
    let context = kind == "tls" ? try? TLSContext(.client, files) : nil
    if kind == "tls", context == nil { return nil }
    guard let asker = try? OneLineAsker(line + "\n", at: endpoint, context, on: loop) else { return nil }
    loop.run()
    return asker.answer.flatMap { try? Payload(json: String(decoding: $0, as: UTF8.self)) }
  }

  private static func split(_ place: String) -> (kind: String, rest: String) {
    for kind in ["tls", "tcp"] where place.hasPrefix("\(kind):") { return (kind, String(place.dropFirst(4))) }
    return ("", place)
  }
}

/// One connection for one line.
private final class OneLineAsker: StreamOwner {
  private let line: [UInt8]
  private var session: TLSSession?
  private var stream: UV.Stream?
  private var heard: [UInt8] = []
  private(set) var answer: [UInt8]?

  init(_ line: String, at endpoint: Endpoint, _ context: TLSContext?, on loop: Loop) throws {
    self.line = Array(line.utf8)
    switch endpoint {
    case .unix(let path):
      let stream = try UV.Stream(.unix, on: loop)
      (self.stream, stream.owner) = (stream, self)
      stream.connect(toPath: path)
    case .tcp(let host, let port):
      if let context { session = try TLSSession(context, host: host) }
      let address = try Address.resolve(host: host, port: port, on: loop)
      let stream = try UV.Stream(.tcp, on: loop)
      (self.stream, stream.owner) = (stream, self)
      do { try stream.connect(to: address) } catch {
        stream.close()
        loop.run()
        throw error
      }
    }
  }

  func connected(_ stream: UV.Stream) {
    try? stream.startReading()
    if session == nil { send(line) } else { shakeHands() }
  }

  private func shakeHands() {
    guard let session else { return }
    let progress = session.shakeHands()
    if progress == .done { line.withUnsafeBytes { _ = try? session.write($0) } }
    send(session.takeOutgoing())
    if case .failed = progress { stream?.close() }
  }

  private func send(_ bytes: [UInt8]) {
    guard let stream, !stream.isWriting, !bytes.isEmpty else { return }
    bytes.withUnsafeBytes { try? stream.write(copyOf: $0) }
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
    guard let session else { return hear(bytes) }
    session.feed(bytes)
    if !session.isEstablished { shakeHands() }
    guard session.isEstablished else { return }
    withUnsafeTemporaryAllocation(byteCount: TLSSession.recordSize, alignment: 16) { buffer in
      while case .bytes(let count) = session.read(into: buffer) {
        hear(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  private func hear(_ bytes: UnsafeRawBufferPointer) {
    heard.append(contentsOf: bytes)
    guard let end = heard.firstIndex(of: 0x0A) else {
      if heard.count > 1 << 20 { stream?.close() }
      return
    }
    if answer == nil { answer = Array(heard[..<end]) }
    stream?.close()
  }

  func ended(_ stream: UV.Stream) { stream.close() }
  func wrote(_ count: Int, to stream: UV.Stream) {}
  func failed(_ stream: UV.Stream, _ error: UVError) { stream.close() }
  func closed(_ stream: UV.Stream) { self.stream = nil }
}
