public import Proxies

/// Reads `public_address`, `proxies` and `proxy_header`.
extension FileReader {
  /// A list of all addresses of a large network of proxies has a few hundred; each request goes through them.
  private static let mostProxies = 1000

  mutating func readPublicAddress(_ node: Node) {
    guard let text = text(node, "public_address") else { return }
    do throws(HTTPName.Complaint) {
      file.publicAddress = Sourced(try HTTPName(publicAddress: text), from: origin(node.place))
    } catch {
      wrong(node.place, error.message)
    }
  }

  mutating func readProxies(_ node: Node) {
    file.hasWrongProxies = true
    guard let nodes = elements(of: node, "proxies") else { return }
    guard nodes.count <= FileReader.mostProxies else {
      wrong(node.place, "proxies has more than \(FileReader.mostProxies) entries; write ranges, as in 10.0.0.0/24")
      return
    }
    let all = values(of: nodes, "proxies", "the address of a proxy") { text throws(AddressRange.Flaw) in
      try AddressRange(text)
    } _: {
      $0.words(about: $1)
    }
    file.proxies = all
    file.hasWrongProxies = all.count < nodes.count
  }

  mutating func readProxyHeader(_ node: Node) {
    guard let text = text(node, "proxy_header") else { return }
    guard let header = ForwardingHeader(rawValue: text) else {
      wrong(node.place, ForwardingHeader.complaint(about: text))
      return
    }
    file.proxyHeader = Sourced(header, from: origin(node.place))
  }
}

extension AddressRange.Flaw {
  /// What is wrong with a text, and how to mend it.
  public func words(about text: String) -> String {
    switch self {
    case .unreadable:
      "\(quoted(text)) is no address in numbers and no range of them; write 10.0.0.5, 10.0.0.0/24 or 2001:db8::/64"
    case .surplusBits(let meant): "\(quoted(text)) says more than its range; write \(meant), or the address alone"
    case .everybody: "\(quoted(text)) is everybody, and whoever is named here is believed; name your proxies alone"
    case .tooWide(let least):
      "\(quoted(text)) is too wide, and whoever is in it is believed; name your proxies alone, in ranges from /\(least)"
    case .nobody: "\(quoted(text)) begins at the address of nobody; name your proxies alone"
    }
  }
}

extension ForwardingHeader {
  /// Why a text is none.
  public static func complaint(about text: String) -> String {
    "\(quoted(text)) is no header that is read; write x-forwarded-for or forwarded, whichever the proxy sets itself"
  }
}
