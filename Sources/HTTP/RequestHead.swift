/// The head of a request: what stands before its body.
public struct RequestHead: Sendable {
  /// What a request asks for. Methods are in upper case; others are `other` as they stand.
  public enum Method: Equatable, Sendable {
    case get, head, post, options
    case other(String)
  }

  /// The version that the client speaks.
  public enum Version: Equatable, Sendable { case http10, http11 }

  /// How the end of the body is found.
  public enum Framing: Equatable, Sendable {
    /// No body.
    case none
    /// So many bytes; `Content-Length: 0` too.
    case length(Int)
    /// Pieces with their lengths, and a last one of length 0.
    case chunked
  }

  /// What the request asks for.
  public let method: Method
  /// The target before its `?`, as it came; it begins with `/`.
  public let path: [UInt8]
  /// The target behind its `?`, as it came; nil without one.
  public let query: [UInt8]?
  /// The version that the client speaks.
  public let version: Version
  /// The field `Host`. Nil only in a request of HTTP/1.0.
  public let host: String?
  /// How the end of the body is found.
  public let framing: Framing
  /// Whether the connection stays open behind the answer. A client of HTTP/1.0 is always answered and closed.
  public let keepsAlive: Bool
  /// Whether the client waits for `100 Continue` before it sends the body. False without a body, and in HTTP/1.0.
  public let expectsContinue: Bool

  /// Whether `Expect` says anything else. Nobody knows what the client expects then: it gets 417.
  public let expectsElse: Bool

  /// Whether bytes of a body may follow.
  public var hasBody: Bool {
    switch framing {
    case .none: false
    case .length(let count): count > 0
    case .chunked: true
    }
  }

  /// Whether `Connection` names `upgrade`, and `Upgrade` names `websocket`.
  let connectionUpgrades: Bool
  let namesWebSocket: Bool
  /// The head's bytes, and where its fields stand in them, in order.
  let bytes: [UInt8]
  let places: [FieldPlace]

  /// How many fields there are.
  public var fieldCount: Int { places.count }

  /// The value of a field, without spaces around it; nil if the field is missing. If it stands there several times, the
  /// values are joined by `, ` (RFC 9110, section 5.3): use `fields` where that is wrong.
  public func field(_ lowercaseName: String) -> String? {
    let values = fields(lowercaseName)
    return values.count > 1 ? values.joined(separator: ", ") : values.first
  }

  /// The values of all fields with a name, in order, without spaces around them. What is not UTF-8 is replaced: this is for
  /// values that are compared, and `texts` for those that are passed on.
  public func fields(_ lowercaseName: String) -> [String] {
    let text = bytes.span.bytes
    return values(of: lowercaseName).map { text.string($0) }
  }

  /// The same; nil if one of the values is not UTF-8.
  public func texts(_ lowercaseName: String) -> [String]? {
    let text = bytes.span.bytes
    var texts: [String] = []
    for value in values(of: lowercaseName) {
      guard let valid = text.validString(value) else { return nil }
      texts.append(valid)
    }
    return texts
  }

  private func values(of lowercaseName: String) -> [Range<Int>] {
    var name = lowercaseName
    return name.withUTF8 { name in
      let text = bytes.span.bytes
      return places.indices.filter { matches(places[$0], name, in: text) }.map { value(at: $0, in: text) }
    }
  }

  @inline(__always)
  private func matches(_ place: FieldPlace, _ name: UnsafeBufferPointer<UInt8>, in text: RawSpan) -> Bool {
    guard Int(place.nameCount) == name.count else { return false }
    for index in name.indices where lowercase(text[Int(place.start) + index]) != name[index] { return false }
    return true
  }

  private func value(at index: Int, in text: RawSpan) -> Range<Int> {
    // The last line ends before two CR LF, the others before one.
    let end = index + 1 < places.count ? Int(places[index + 1].start) - 2 : bytes.count - 4
    return text.trimmed(places[index].nameEnd + 1..<end)
  }
}

/// Where a field stands in its head. Eight bytes, because a head may consist of fields of four.
struct FieldPlace: Sendable {
  /// Where its line begins.
  var start: UInt32
  var nameCount: UInt32

  var nameEnd: Int { Int(start) + Int(nameCount) }
}
