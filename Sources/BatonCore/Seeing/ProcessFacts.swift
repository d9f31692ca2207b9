public import BatonLasting

/// Facts about the process that the core cannot find out. The caller supplies them, and `inspect` of the server tells
/// them.
public struct ProcessFacts: Sendable {
  /// 128 random bits of this start of the server, which `welcome` tells (contract, section 8); 0 where nobody drew them.
  public var start: UInt128 = 0
  /// The number of files that the process may have open; 0 if it is not known.
  public var fileLimit = 0
  /// What there is so little of that the limits on all peers together were lowered; nil if they were not.
  public var limitsLoweredBy: ShortMemory?
  /// Returns the bytes of memory that are resident. It is called when a peer asks.
  public var residentBytes: @Sendable () -> Int = { 0 }
  /// The bytes that doors hold of requests which have not come whole.
  public var heldBytes: @Sendable () -> Int = { 0 }

  /// Returns where a peer is: an address and port, or `unix`; nil if that is not known. It is called when a peer asks,
  /// for at most 1000 connections.
  public var address: @Sendable (ConnectionID) -> String? = { _ in nil }

  /// Returns whether the server listens to other machines, and anybody there may connect. It is called when a peer asks.
  public var listensToOthers: @Sendable () -> Bool = { false }

  /// Returns whether tokens are taken over plain TCP from other machines. It is called when a peer asks.
  public var takesPlainTokens: @Sendable () -> Bool = { false }

  /// Returns for how many seconds the server's certificate is good, below 0 after its end; nil without one. It is called
  /// when a peer asks.
  public var certificateSeconds: @Sendable () -> Int? = { nil }

  /// Returns what the wall clock says at an instant, in microseconds since 1970; nil where nobody knows. It is called for
  /// what is told of the past.
  public var wall: @Sendable (Instant) -> Int64? = { _ in nil }

  /// The node's name in its cluster; nil without one.
  public var node: String?
  /// Returns what is known of all nodes; nil without a cluster. It is called when a peer asks.
  public var nodes: @Sendable () -> NodesSight? = { nil }

  /// `start` in 32 hex digits.
  public var startSpelled: String {
    let digits = String(start, radix: 16)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits
  }

  /// The files that the server has open beside connections, at most.
  static let ownFiles = 64

  /// No facts.
  public init() {}
}

/// What limits the memory of the process. The spelling is that of `inspect`.
public enum ShortMemory: String, Sendable {
  /// The process's control group, for instance a container.
  case cgroup
  /// The process's address space, as `ulimit -v` sets it.
  case addressSpace = "address_space"
  /// The machine's memory.
  case memory

  /// A sentence for people.
  public var words: String {
    switch self {
    case .cgroup: "the control group, for instance a container, leaves little memory"
    case .addressSpace: "the limit of the address space (ulimit -v) leaves little memory"
    case .memory: "the machine has little memory"
    }
  }
}
