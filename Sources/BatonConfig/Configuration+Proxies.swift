internal import Proxies

/// What stands in front of the server: whether it fits together.
extension Configuration.Assembly {
  mutating func checkProxies() {
    let first = places.first(where: \.value.takesProxyHeader)
    if proxies.isEmpty {
      // What is wrong with them is told already.
      if file?.hasWrongProxies == true { return }
      if let first {
        wrong(
          first.origin,
          "at \(first.value.place) nobody could connect: with proxy_protocol each connection comes from a proxy, and none is "
            + "named; write its address under proxies")
      }
      if let proxyHeader { warn(proxyHeader.origin, "no proxy is named, so nobody's header is read; write proxies") }
    } else if let first, listen.allSatisfy(\.value.takesProxyHeader), !listen.isEmpty {
      warn(
        first.origin,
        "every place for lines wants the header of a proxy, so commands of this machine reach none of them (baton doctor, baton "
          + "reload); add unix:PATH, or a place without proxy_protocol")
    } else if first == nil, proxyHeader == nil {
      warn(
        proxies[0].origin,
        "nothing of these proxies is read; say in which header they tell where their clients are (proxy_header), or at which "
          + "place they begin with the PROXY protocol (proxy_protocol)")
    }
  }

  /// Through a proxy, others reach a server that listens to this machine alone.
  mutating func checkReachThroughProxies() {
    if let proxy = proxies.first {
      wrong(proxy.origin, "behind the proxy \(proxy.value): \(Configuration.threeWays)")
    } else if let address = publicAddress, let host = address.value.host, !ListenEntry.isLoopback(host) {
      wrong(address.origin, "behind \(address.value.text): \(Configuration.threeWays)")
    }
  }
}
