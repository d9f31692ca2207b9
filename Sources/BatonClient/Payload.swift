internal import BatonCore

/// One JSON value as its bytes, which Baton passes on unchanged: no number is rounded, no member reordered.
public struct Payload: Sendable, Hashable, CustomStringConvertible {
  /// The value's bytes.
  public let bytes: [UInt8]

  /// A value that is known to be one line of JSON.
  init(checked bytes: [UInt8]) { self.bytes = bytes }

  /// The JSON value that `text` spells. Line breaks between its tokens become spaces. Throws `BatonError.notJSON` where
  /// it is no JSON value.
  public init(json text: some StringProtocol) throws(BatonError) {
    guard let value = JSONText.value(text.utf8) else { throw BatonError.notJSON(String(text.prefix(80))) }
    bytes = value
  }

  /// A JSON string of `text`.
  public init(text: String) { bytes = JSONText.quoted(text) }

  /// The value as it is spelled in JSON.
  public var json: String { String(decoding: bytes, as: UTF8.self) }

  /// The value as it is spelled in JSON.
  public var description: String { json }
}
