internal import BatonCore
internal import HTTP
internal import Proxies
internal import UV

/// Who speaks on a socket, from one request to the next: over one socket of a proxy come requests of many clients.
enum HTTPSpeaker: Equatable {
  /// Who has connected.
  case itself
  /// A client of a proxy. The proxies say how the client has reached the first of them, and how a request came to the last.
  case client(ForwardedPeer.Scheme, way: ForwardedPeer.Scheme)
}

extension HTTPSocket {
  /// Finds out whose request it is: that of who has connected or, where that is a proxy which the operator has named, what
  /// its header says.
  func findSpeaker(_ head: RequestHead) throws(HTTPRefusal) {
    let rules = door.server.proxyRules
    guard let header = rules.header, door.server.believes(stream) else { return speakForItself() }
    do throws(ProxyFault) {
      let client = try header.peer(
        fields: head.fields(header.rawValue), schemes: head.fields("x-forwarded-proto"), rules)
      if let client { speak(for: client) } else { speakForItself() }
    } catch {
      speakForItself()
      door.server.failures?.note(.proxy, error.message, address, of: stream.peerAddress)
      throw HTTPRefusal(
        .badRequest, "the proxy in front of this server does not say whose request this is: \(error.message)",
        closes: true)
    }
  }

  private func speakForItself() {
    if speaker != .itself { become(.itself, transport.peer, stream.peerAddress?.group ?? 0) }
  }

  private func speak(for client: ForwardedPeer) {
    let text = "\(client.address)"
    guard let place = try? UV.Address(numericHost: text, port: client.port ?? 0) else { return speakForItself() }
    let bare = text.contains(":") ? "[\(text)]" : text
    become(
      .client(client.scheme, way: client.way), client.port == nil ? bare : place.description, place.group)
  }

  /// What is known of a proxy's client. The certificate of the proxy says nothing of it.
  ///
  /// A token counts only if nobody could read it on the way to the first proxy, between proxies, and behind the last one.
  func factsOfClient(_ way: ForwardedPeer.Scheme) -> PeerFacts {
    var facts = PeerFacts()
    facts.address = group
    let isKeptBehind = options.isEncrypted || stream.staysOnMachine
    let isKeptBefore =
      switch way {
      case .encrypted: true
      case .plain: false
      case .unknown: options.isEncrypted
      }
    // Something that encrypts may stand in front of the proxy, too.
    facts.takesTokens = options.takesPlainTokens || isKeptBefore && isKeptBehind
    return facts
  }

  /// Whether what the client says is encrypted on its way, as its browser sees it.
  var isEncryptedForClient: Bool {
    switch speaker {
    case .client(.encrypted, _): true
    case .client(.plain, _): false
    case .client(.unknown, _), .itself: isEncrypted
    }
  }
}
