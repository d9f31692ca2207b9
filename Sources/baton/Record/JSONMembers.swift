import BatonCore

/// Members of objects, by their names: texts as they are, and other values as they are written.
enum JSONMembers {
  /// Those of each object of a list; none if it is no list.
  static func list(_ json: UnsafeRawBufferPointer) -> [[String: String]] {
    guard case .success(let list) = LoneValue.readChecked(json, maximumDepth: 1000), list.kind == .array else {
      return []
    }
    return ArrayElements(of: list, in: json).map { $0.kind == .object ? members(of: $0, in: json) : [:] }
  }

  /// Those of an object; none if it is no object.
  static func object(_ json: UnsafeRawBufferPointer) -> [String: String] {
    guard case .success(let object) = LoneValue.readChecked(json, maximumDepth: 1000), object.kind == .object else {
      return [:]
    }
    return members(of: object, in: json)
  }

  static func members(of object: MemberValue, in json: UnsafeRawBufferPointer) -> [String: String] {
    var members: [String: String] = [:]
    for (name, value) in ObjectMembers(of: object, in: json) {
      members[text(name, json)] = value.kind.isText ? text(value, json) : value.bytes(in: json).text
    }
    return members
  }

  private static func text(_ value: MemberValue, _ json: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: value.textCount(in: json)) {
      value.copyText(in: json, into: UnsafeMutableRawBufferPointer($0))
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
