/// Who is believed when it says for whom it speaks, and where it says so.
public struct ProxyRules: Equatable, Sendable {
  /// The addresses of the operator's proxies. Nobody else is believed in anything.
  public var proxies: [AddressRange]
  /// The header of HTTP that they set; nil: none is read.
  public var header: ForwardingHeader?

  /// Rules that the operator gave.
  public init(proxies: [AddressRange] = [], header: ForwardingHeader? = nil) {
    (self.proxies, self.header) = (proxies, header)
  }

  /// Whether who has this address is one of the proxies.
  public func believes(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }
}

/// The header in which a proxy tells the address of its client. One is read: a proxy sets one, and passes on what a client
/// wrote in the other.
public enum ForwardingHeader: String, CaseIterable, Sendable {
  case xForwardedFor = "x-forwarded-for"
  case forwarded

  /// As people write it.
  public var shown: String { self == .forwarded ? "Forwarded" : "X-Forwarded-For" }
}

/// The client for whom a proxy speaks.
public struct ForwardedPeer: Equatable, Sendable {
  /// How a request came to a proxy; what is less safe stands first.
  public enum Scheme: Comparable, Sendable { case plain, unknown, encrypted }

  /// Where it is.
  public var address: IPAddress
  /// Its port; nil if nobody told it.
  public var port: UInt16?
  /// How it reached the first proxy that is believed.
  public var scheme = Scheme.unknown
  /// The least safe part of the way from it to the last proxy. What stays on a proxy's machine is as safe as `encrypted`.
  public var way = Scheme.unknown
}

/// Why what a proxy says is refused.
public struct ProxyFault: Error, Equatable, Sendable {
  /// What is wrong; one line without a word of the peer's.
  public let message: String

  init(_ message: String) { self.message = message }
}
