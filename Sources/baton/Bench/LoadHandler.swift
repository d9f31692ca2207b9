/// A handler that answers every offer with the same verdict.
final class LoadHandler: LoadPeer {
  private let insert: String
  private let start: StaticString
  private let ready: () throws -> Void

  init(_ load: Load, insert: String, verdict: String, ready: @escaping () throws -> Void) throws {
    self.insert = insert
    self.ready = ready
    start = verdict == "handled" ? "{\"op\":\"handled\",\"id\":" : "{\"op\":\"continue\",\"id\":"
    try super.init(load)
  }

  override func opened() { say(insert) }

  /// `{"op":"offer","id":17,…`, and `{"op":"ok",…` for the insert: told apart by the ninth byte.
  override func took(_ line: UnsafeRawBufferPointer) {
    guard line.count > 20, line[7] == UInt8(ascii: "o"), line[8] == UInt8(ascii: "f") else { return tookOther(line) }
    var end = 19
    while end < line.count, line[end] &- UInt8(ascii: "0") < 10 { end += 1 }
    say(UnsafeRawBufferPointer(start: start.utf8Start, count: start.utf8CodeUnitCount))
    say(UnsafeRawBufferPointer(rebasing: line[19..<end]))
    let close: StaticString = "}\n"
    say(UnsafeRawBufferPointer(start: close.utf8Start, count: 2))
  }

  private func tookOther(_ line: UnsafeRawBufferPointer) {
    guard line.starts(with: "{\"op\":\"ok\"".utf8) else { return load.fail(BenchFailure(unexpected: line)) }
    do { try ready() } catch { load.fail(BenchFailure("\(error)")) }
  }
}
