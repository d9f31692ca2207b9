import BatonClient

/// How members of the server's lines are decoded in this program. These have the form of those of the standard library, and
/// are nearer, so that all types here are decoded by them. What is wrong with a member makes it absent, as in the library: a
/// value of another kind, and a number beyond its range. So one strange member does not hide all others, and no sum overflows.
extension KeyedDecodingContainer {
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    decoded(Int.self, key).flatMap { 0 <= $0 && $0 <= ServerLine.most ? $0 : nil }
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { decoded(String.self, key) }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { decoded(Bool.self, key) }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    decoded(Value.self, key)
  }
  func decodeIfPresent<Value: Decodable>(_ type: [Value].Type, forKey key: Key) throws -> [Value]? {
    decoded([Known<Value>].self, key)?.compactMap(\.value)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decodeIfPresent(Int.self, forKey: key) ?? 0 }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decodeIfPresent(String.self, forKey: key) ?? ""
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    decoded(Double.self, key).flatMap { $0.isFinite ? $0 : nil } ?? 0
  }
  /// A list that is not there is no empty one: nobody would know that nothing was told.
  func decode<Value: Decodable>(_ type: [Value].Type, forKey key: Key) throws -> [Value] {
    try [Known<Value>](from: superDecoder(forKey: key)).compactMap(\.value)
  }

  private func decoded<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
    guard contains(key) else { return nil }
    return try? Value(from: superDecoder(forKey: key))
  }
}

/// One element of a list; nil where it is of another kind.
private struct Known<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}
