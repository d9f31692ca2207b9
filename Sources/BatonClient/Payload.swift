internal import BatonCore

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// One JSON value as bytes. Baton passes them on unchanged: no number is rounded, no member is moved.
public struct Payload: Sendable, Hashable, CustomStringConvertible {
  /// The value's bytes.
  public let bytes: [UInt8]

  /// A value that is known to be one line of JSON.
  init(checked bytes: [UInt8]) { self.bytes = bytes }

  /// The JSON value that `text` spells. Line breaks between its tokens become spaces. Throws `BatonError.notJSON` where
  /// it is not a JSON value.
  public init(json text: some StringProtocol) throws(BatonError) {
    guard let value = JSONText.value(text.utf8) else { throw BatonError.notJSON(String(text.prefix(80))) }
    bytes = value
  }

  /// A JSON string of `text`.
  public init(text: String) { bytes = JSONText.quoted(text) }

  /// The value as JSON text.
  public var json: String { String(decoding: bytes, as: UTF8.self) }

  /// The value as JSON text.
  public var description: String { json }
}

extension Payload {
  /// The JSON of an encodable value. Throws what its encoding throws.
  public init(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    bytes = Array(try encoder.encode(value))
  }

  /// The value of the JSON. Throws a `DecodingError` where it has another shape.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
