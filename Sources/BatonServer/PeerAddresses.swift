internal import BatonCore
internal import BatonLasting

/// Tells the router what the server knows of its peers and places. The router asks only while the server calls it: so
/// this is used on one thread only, although the router's settings may go to any.
final class PeerAddresses: @unchecked Sendable {
  /// The server, which owns the router. It is not weak: each use of an object that somebody holds weakly takes twice as
  /// long, and nothing is used as often as the server.
  unowned var server: Server?

  func find(_ id: ConnectionID) -> String? { server?.address(of: id) }
  var takePlainTokens: Bool { server?.takesPlainTokens ?? false }
  var heldBytes: Int { server?.door?.heldBytes ?? 0 }
  var nodes: NodesSight? { server?.nodesSight }
  var certificateSeconds: Int? { server?.certificateSeconds }
  /// Whoever names proxies lets others in through them.
  var areForeign: Bool { server.map { $0.listensToOthers || !$0.proxyRules.proxies.isEmpty } ?? false }
}
