#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

extension Payload {
  /// The JSON of an encodable value. Throws what its encoding throws.
  public init(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    bytes = Array(try encoder.encode(value))
  }

  /// The value that the JSON spells. Throws a `DecodingError` where it is of another shape.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
