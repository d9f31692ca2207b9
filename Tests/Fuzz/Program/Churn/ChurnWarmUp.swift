import UV

/// One connection that asks for so much at once that the server's stock of memory for unsent lines is full afterwards:
/// what the server keeps for later does not look like growth then.
final class ChurnWarmUp: LineStreamOwner {
  private let stream: LineStream
  private var due: Int
  private let done: (_ fault: String?) -> Void

  private static let line = Array("{\"op\":\"help\"}\n".utf8)

  /// `done` is called once all is answered and the connection is closed, or with what went wrong.
  init(path: String, loop: Loop, done: @escaping (_ fault: String?) -> Void) throws {
    self.done = done
    due = LineStream.writeSize / Self.line.count
    stream = try LineStream(path: path, on: loop)
    stream.owner = self
  }

  func close() { stream.close() }

  func connected() { stream.write(Array(repeatElement(Self.line, count: due).joined())[...]) }

  func received(_ line: [UInt8]) {
    due -= 1
    if due == 0 { stream.close() }
  }

  func wrote() {}
  func ended() { stream.close() }
  func failed(_ error: UVError) { stream.close() }
  func closed() { done(due == 0 ? nil : "\(due) lines were not answered while the server was warmed up") }
}
