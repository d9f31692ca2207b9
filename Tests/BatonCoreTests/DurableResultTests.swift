import Testing

@testable import BatonCore

/// The result of a try as it is stored, and what its sender and operators are told of it.
@Suite struct DurableResultTests {
  private static let shown = #"{"status":"failed","cause":"failed","payload":1,"hops":1,"stored":"x-1","try":2}"#
  private static let whole = #"{"status":"failed","cause":"failed","message":"secret\n","hops":1}"#

  private func result(_ hasGoneThroughMounts: Bool, _ whole: String?) -> [UInt8] {
    Array((Self.shown + (whole.map { "\n" + $0 } ?? "")).utf8)
      + DurableResult.end(hasGoneThroughMounts: hasGoneThroughMounts, hasTwo: whole != nil)
  }

  private func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

  @Test(arguments: [true, false]) func senderAndOperatorsAreToldTheirs(mounts: Bool) {
    for whole in [nil, Self.whole] {
      let result = result(mounts, whole)
      #expect(text(DurableResult.members(of: result)) == Self.shown.dropFirst().dropLast())
      #expect(text(DurableResult.whole(result)) == whole ?? Self.shown)
      #expect(DurableResult.hasGoneThroughMounts(result) == mounts)
      #expect(DurableResult.isSound(result) && !DurableResult.isEnd(result))
      #expect(text(DurableResult.statusOnly(result)) == #"{"status":"failed","hidden":true}"#)
    }
    #expect(text(DurableResult.short(result(mounts, Self.whole))) == Self.whole)
    #expect(text(DurableResult.short(result(mounts, nil))) == #"{"status":"failed","cause":"failed","hops":1}"#)
  }

  @Test(arguments: [true, false]) func whereThereIsNoRoomTheSendersPartStays(mounts: Bool) {
    let cut = #"{"status":"failed","cause":"failed","hops":1,"stored":"x-1","try":2,"truncated":true}"#
    for whole in [nil, Self.whole] {
      #expect(text(DurableResult.truncated(result(mounts, whole))) == cut + (mounts ? " " : ""))
    }
    let short = Array((#"{"status":"timeout","hops":1}"# + "\n" + Self.whole + "\t").utf8)
    #expect(text(DurableResult.truncated(short)) == #"{"status":"timeout","hops":1}"#)
  }

  /// What nobody has written is damage, and traps nobody.
  @Test(arguments: [
    "", " ", "\t", " \t", "\n\t", "{}\t", "{}\n\t", "{}\n{\t", "{\n{}\t", "{}\n{} \t\t", "{} {}", "{\r}\t",
  ])
  func otherBytesAreDamage(text: String) {
    let result = Array(text.utf8)
    #expect(DurableResult.isSound(result) == (text == "{}\t"))
    _ = (DurableResult.members(of: result), DurableResult.truncated(result), DurableResult.isEnd(result))
    _ = (DurableResult.statusOnly(result), DurableResult.short(result))
  }
}
