/// A line that answers an offer, as another program spelled it. What it says besides `op` and `id` is the server's to
/// judge.
package struct VerdictLine: Sendable {
  /// Why a line is none.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
  }

  /// Whether it says that work goes on, and no more.
  package let isWorking: Bool
  /// The offer that it answers; nil where it is the oldest that has not been answered.
  package let id: Int?
  private let bytes: [UInt8]

  /// Takes a line without its end.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard let line = ServerLine(bytes) else { throw Fault("it is no JSON object") }
    guard ["handled", "continue", "reject", "failed", "working"].contains(line.op) else {
      throw Fault("\"op\" is none of handled, continue, reject, failed and working")
    }
    if let id = line.payload("id") {
      guard let number = Int(id.json) else { throw Fault("\"id\" is not an offer's number") }
      self.id = number
    } else {
      id = nil
    }
    isWorking = line.op == "working"
    self.bytes = bytes
  }

  /// The line to the server, ended, with the id where it has none.
  func line(for number: Int) -> [UInt8] {
    let end = [UInt8(ascii: "\n")]
    guard id == nil, let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { return bytes + end }
    return bytes[...brace] + "\"id\":\(number),".utf8 + bytes[(brace + 1)...] + end
  }
}
