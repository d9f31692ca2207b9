/// A name under which HTTP may be asked for, or an origin whose pages may ask.
public struct HTTPName: Equatable, Sendable {
  /// As a browser sends it.
  public let text: String

  /// Why a text is neither.
  public struct Complaint: Error, Equatable {
    /// What is wrong, and how to mend it.
    public let message: String
  }

  /// A host's name of `http_hosts`, as `Host` has it: in lower case and without a port.
  public init(host text: String) throws(Complaint) {
    if text.contains("*") {
      throw Complaint(message: "\(quoted(text)) has a *, and each name is written in full, as in baton.example")
    }
    let name = text.lowercased()
    guard Self.isName(name) else {
      let meant = Self.bareName(of: name) ?? "a name such as baton.example"
      throw Complaint(message: "\(quoted(text)) is not the name of a host without a scheme and a port; write \(meant)")
    }
    self.text = name
  }

  /// An origin of `allow_origins`, as a browser sends it: `scheme://host[:port]`, in lower case, without the port of
  /// its scheme.
  public init(origin text: String) throws(Complaint) {
    if text.contains("*") || text == "null" {
      let message =
        "\(quoted(text)) would let strangers' pages in; write each origin in full, as in https://app.example"
      throw Complaint(message: message)
    }
    guard let origin = Parts(text.lowercased()) else {
      let form = "scheme://host or scheme://host:port, as in https://app.example"
      throw Complaint(message: "\(quoted(text)) is not an origin; write \(form)")
    }
    let meant = origin.text.utf8.count <= 80 ? origin.text : "scheme://host"
    guard origin.rest.isEmpty else {
      throw Complaint(message: "\(quoted(text)) has more than an origin has; write \(meant)")
    }
    guard !origin.hasUsualPort else {
      throw Complaint(message: "\(quoted(text)) has the port that browsers leave out; write \(meant)")
    }
    self.text = origin.text
  }

  /// The address of `public_address`: an origin of `http` or `https`.
  public init(publicAddress text: String) throws(Complaint) {
    try self.init(origin: text)
    guard self.text.hasPrefix("https://") || self.text.hasPrefix("http://") else {
      throw Complaint(
        message: "\(quoted(text)) is no address of a page; write https://host, as in https://baton.example")
    }
  }

  /// The host of an origin, without its port.
  public var host: String? {
    guard let parts = Parts(text) else { return nil }
    return parts.host
  }

  /// Letters, digits, hyphens and underscores, with dots between them, 253 bytes at most.
  private static func isName(_ name: String) -> Bool {
    name.utf8.count <= 253
      && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
        !word.isEmpty && word.utf8.count <= 63 && word.utf8.allSatisfy { isWordSign($0) }
      }
  }

  private static func isWordSign(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The name within a URL, or in front of a port; nil if there is none.
  private static func bareName(of text: String) -> String? {
    var rest = text[...]
    if let slashes = rest.firstRange(of: "://") { rest = rest[slashes.upperBound...] }
    let name = String(rest.prefix { $0 != "/" && $0 != ":" })
    return name != text && name.utf8.count <= 64 && isName(name) ? name : nil
  }

  /// The parts of `scheme://host:port`, and what stands behind them.
  private struct Parts {
    let scheme: String
    let host: String
    let port: UInt16?
    let rest: Substring

    init?(_ text: String) {
      guard let slashes = text.firstRange(of: "://") else { return nil }
      scheme = String(text[..<slashes.lowerBound])
      let isScheme = scheme.utf8.allSatisfy { isWordSign($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: ".") }
      guard isScheme, scheme.utf8.first.map({ $0 > UInt8(ascii: "9") }) == true else { return nil }
      let address = text[slashes.upperBound...].prefix { !"/?#".contains($0) }
      rest = text[address.endIndex...]
      var name = address
      if let colon = address.lastIndex(of: ":"), !address.hasSuffix("]") {
        let digits = address[address.index(after: colon)...]
        guard let number = UInt16(digits), number > 0, "\(number)" == digits else { return nil }
        port = number
        name = address[..<colon]
      } else {
        port = nil
      }
      host = String(name)
      guard isName(host) || Parts.isIPv6(name) else { return nil }
    }

    var hasUsualPort: Bool { port != nil && port == ["http": 80, "https": 443][scheme] }

    /// As a browser sends it.
    var text: String { "\(scheme)://\(host)" + (hasUsualPort ? "" : port.map { ":\($0)" } ?? "") }

    private static func isIPv6(_ host: Substring) -> Bool {
      host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 4
        && host.dropFirst().dropLast().utf8.allSatisfy {
          switch $0 {
          case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: ":"),
            UInt8(ascii: "."):
            true
          default: false
          }
        }
    }
  }
}
