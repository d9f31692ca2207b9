/// One element of `Forwarded` (RFC 7239): what one proxy has added.
///
/// A value of `Forwarded` is read from its beginning, which a client may have written: a quote that it leaves open would
/// swallow what the proxy adds. So what is not plainly right is refused as a whole.
struct ForwardedElement: ForwardedNode {
  /// The values of `for` and `proto`, without quotes; nil if they are absent.
  private var node: [UInt8]?
  private var scheme: [UInt8]?

  func peer() throws(ProxyFault) -> ForwardedPeer? {
    guard let node, var peer = ForwardedAddress.peer(node[...], allowingNamedPort: true) else { return nil }
    if let scheme { peer.scheme = try ForwardingHeader.scheme(scheme[...], of: "proto of Forwarded") }
    return peer
  }

  /// The elements of one field, in their order.
  static func read(_ field: [UInt8]) throws(ProxyFault) -> [ForwardedElement] {
    var reader = Reader(rest: field[...])
    var elements = [try reader.element()]
    while reader.takes(UInt8(ascii: ",")) { elements.append(try reader.element()) }
    guard reader.rest.isEmpty else { throw Reader.fault }
    return elements
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    static let fault = ProxyFault("Forwarded is not NAME=VALUE, with semicolons and commas between them")

    mutating func takes(_ byte: UInt8) -> Bool {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      guard rest.first == byte else { return false }
      rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
      return true
    }

    mutating func element() throws(ProxyFault) -> ForwardedElement {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      var (element, names) = (ForwardedElement(), Set<String>())
      repeat {
        // A pair may be missing, as in "for=a;".
        guard let first = rest.first, first != UInt8(ascii: ","), first != UInt8(ascii: ";") else { continue }
        let name = String(decoding: try token(), as: UTF8.self).lowercased()
        guard names.insert(name).inserted else { throw ProxyFault("an element of Forwarded has a name twice") }
        guard rest.first == UInt8(ascii: "=") else { throw Reader.fault }
        rest = rest.dropFirst()
        let value = rest.first == UInt8(ascii: "\"") ? try quoted() : Array(try token())
        if name == "for" { element.node = value }
        if name == "proto" { element.scheme = value }
      } while takes(UInt8(ascii: ";"))
      return element
    }

    private mutating func token() throws(ProxyFault) -> ArraySlice<UInt8> {
      let token = rest.prefix { Reader.isTokenByte($0) }
      guard !token.isEmpty else { throw Reader.fault }
      rest = rest.dropFirst(token.count)
      return token
    }

    /// A text between quotes, in which a backslash stands before any character.
    private mutating func quoted() throws(ProxyFault) -> [UInt8] {
      var text: [UInt8] = []
      rest = rest.dropFirst()
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\"") { return text }
        guard byte == UInt8(ascii: "\\") else {
          text.append(byte)
          continue
        }
        guard let next = rest.popFirst() else { break }
        text.append(next)
      }
      throw Reader.fault
    }

    /// Letters, digits and signs that may stand without quotes (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
  }
}
