import FuzzKit
import UV

/// One connection of the control client: says lines and knows which line has to come next.
final class ControlPeer: LineStreamOwner {
  let name: String
  private let stream: LineStream
  private var outgoing: [UInt8] = []
  private var isConnected = false
  private var isClosed = false
  /// Members that the next line must have, as spelled. Empty while no line is to come.
  private(set) var expected: [String: String] = [:]
  /// Called with the line that was expected.
  var heard: ([UInt8]) -> Void = { _ in }
  /// Called when something else happened.
  var lost: (String) -> Void = { _ in }

  init(_ name: String, port: UInt16, loop: Loop) throws {
    self.name = name
    stream = try LineStream(port: port, on: loop)
    stream.owner = self
  }

  /// Says `line`; what comes next has to be `expected`.
  func say(_ line: String, expecting expected: [String: String] = [:]) {
    if !expected.isEmpty { self.expected = expected }
    outgoing += line.utf8
    outgoing.append(0x0A)
    write()
  }

  func expect(_ expected: [String: String]) { self.expected = expected }

  func close() {
    isClosed = true
    stream.close()
  }

  private func write() {
    guard isConnected, !stream.isWriting, !outgoing.isEmpty else { return }
    stream.write(outgoing.prefix(LineStream.writeSize))
    outgoing.removeFirst(min(outgoing.count, LineStream.writeSize))
  }

  func connected() {
    isConnected = true
    write()
  }

  func wrote() { write() }

  func received(_ line: [UInt8]) {
    let members = LineMembers(line)
    let isRight = expected.allSatisfy { name, value in
      members?.value(of: name).map { $0.elementsEqual(value.utf8) } ?? false
    }
    guard isRight, !expected.isEmpty else {
      return lost("\(name) got \(MutantPeer.told(line)) instead of \(expected)")
    }
    expected = [:]
    heard(line)
  }

  func ended() { trouble("the server closed") }
  func failed(_ error: UVError) { trouble("\(error)") }
  func closed() {}

  private func trouble(_ what: String) {
    if !isClosed { lost("\(name): \(what)") }
    close()
  }
}
