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
  public init<Value: Encodable>(_ value: Value) throws {
    if Value.self == Payload.self, let payload = value as? Payload {
      self = payload
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    bytes = Array(try encoder.encode(value))
  }

  /// The value of the JSON. Throws a `DecodingError` where it has another shape.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    if Value.self == Payload.self, let payload = self as? Value { return payload }
    return try JSONDecoder().decode(type, from: Data(bytes))
  }
}

extension Payload {
  /// Whether both are the same value, however it is spelled: members may come in any order.
  func means(_ other: Payload) -> Bool {
    if bytes == other.bytes { return true }
    guard let tree = try? decode(JSONTree.self) else { return false }
    return tree == (try? other.decode(JSONTree.self))
  }
}

/// A payload may be a member of a value. There it is read and written by the coder, which may spell numbers in another
/// way; alone it passes byte for byte.
extension Payload: Codable {
  /// The JSON of a value within another one.
  public init(from decoder: any Decoder) throws {
    try self.init(JSONTree(from: decoder))
  }

  /// Writes it as a value within another one.
  public func encode(to encoder: any Encoder) throws {
    try decode(JSONTree.self).encode(to: encoder)
  }
}

/// Any JSON value, for coders.
private indirect enum JSONTree: Codable, Equatable {
  case null
  case flag(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case list([JSONTree])
  case object([String: JSONTree])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([JSONTree].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: JSONTree].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .flag(let flag): try value.encode(flag)
    case .integer(let integer): try value.encode(integer)
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .list(let list): try value.encode(list)
    case .object(let members): try value.encode(members)
    }
  }
}
