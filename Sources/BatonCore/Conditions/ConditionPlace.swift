/// The way to a part of a condition, as errors name it: `payload.amount[0]`.
struct ConditionPlace {
  private(set) var text = ""

  /// The bytes of a name that are shown.
  private static var mostBytes: Int { 40 }

  func member(_ name: String) -> ConditionPlace {
    let isPlain = name.utf8.allSatisfy { $0 | 0x20 &- UInt8(ascii: "a") < 26 || ConditionPlace.others.contains($0) }
    guard isPlain, !name.isEmpty, name.utf8.count <= ConditionPlace.mostBytes else {
      let shown = OwnedBytes(name)
      let quoted = OwnedBytes(quoting: shown.bytes, atMost: ConditionPlace.mostBytes)
      defer { extendLifetime(shown) }
      return ConditionPlace(text: "\(text)[\(quoted.string)]")
    }
    return ConditionPlace(text: text.isEmpty ? name : "\(text).\(name)")
  }

  func element(_ index: Int) -> ConditionPlace { ConditionPlace(text: "\(text)[\(index)]") }

  private static let others = Array("0123456789_-$".utf8)
}
