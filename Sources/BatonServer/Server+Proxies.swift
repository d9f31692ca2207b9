internal import Proxies
internal import UV

/// What proxies say of their clients, and who is believed.
extension Server {
  /// Whether who is at the other end of a stream is a proxy that the operator has named.
  func believes(_ stream: UV.Stream) -> Bool {
    // Most servers stand behind none: then the system is not asked.
    proxyRules.proxies.isEmpty ? false : believes(stream.peerAddress)
  }

  /// Whether this is the address of such a proxy.
  func believes(_ peer: UV.Address?) -> Bool {
    guard !proxyRules.proxies.isEmpty, let peer, let address = IPAddress(peer.host) else { return false }
    return proxyRules.believes(address)
  }

  /// Somebody has come to a place where each connection begins with the header of a proxy.
  func hearProxy(_ stream: UV.Stream, _ options: ListeningOptions) {
    guard believes(stream), let door else {
      let reason = "it comes from none of the proxies that the file names (proxies)"
      failures?.note(.stranger, reason, stream.peer, of: stream.peerAddress)
      return stream.close()
    }
    ProxyGreeting(stream, options, server: self).begin()
    if greetings.count > door.limits.maxStrangers { greetings.oldestOfMost()?.makeRoom() }
  }

  /// The server ends.
  func closeGreetings() { while let one = greetings.oldestOfMost() { one.close() } }
}
