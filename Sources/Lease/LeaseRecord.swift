/// Who leads, as the one message of the lease's stream says it.
public struct LeaseRecord: Codable, Equatable, Sendable {
  /// The node that has written it.
  public var node: String
  /// The start of its process.
  public var start: String
  /// The leadership. Each one has its own; a later one has a higher one.
  public var epoch: Int64
  /// Counts what this start has written.
  public var count: Int64
  /// Since which start of the machine the clock counts by which it was written; nil: not known.
  public var boot: String?
  /// When it was written, by that clock; nil: not known.
  public var at: Int64?
  /// For how many milliseconds it holds.
  public var leaseMs: Int64
  /// After how many milliseconds the leader writes it again.
  public var renewMs: Int64
  /// Which nodes take part, and where clients reach each.
  public var nodes: [String: String]
  /// The digest of the leader's file.
  public var digest: String
  /// Whether the leader drains.
  public var leaves: Bool
  /// Whether it has let the lease go.
  public var free: Bool
  /// The node that is to lead next; nil: any.
  public var to: String?

  enum CodingKeys: String, CodingKey {
    case node, start, epoch, count, boot, at, nodes, digest, leaves, free, to
    case leaseMs = "lease_ms"
    case renewMs = "renew_ms"
  }

  /// Whether its numbers are such that one can count with them. What a stream has may be anybody's.
  public var isSound: Bool {
    (0...1 << 55).contains(epoch) && (0...1 << 55).contains(count)
      && (0...1 << 55).contains(at ?? 0) && (1...86_400_000).contains(leaseMs)
      && (1...86_400_000).contains(renewMs)
  }
}

/// What one node says of itself in the lease.
public struct LeaseTerms: Equatable, Sendable {
  /// Its name.
  public var node: String
  /// The start of this process, which no other process has.
  public var start: String
  /// For how many milliseconds it leads without writing again.
  public var leaseMs: Int64
  /// After how many milliseconds it writes again.
  public var renewMs: Int64
  /// All nodes, and where clients reach each: at most eight.
  public var nodes: [String: String]
  /// The digest of its file.
  public var digest: String
  /// Whether it leads with another file than the leader before it had.
  public var leadsAsItIs: Bool
  /// Since which start of the machine its clock counts; nil: not known.
  public var boot: String?
  /// The start that led on this node's store, if that process is dead and has not let the lease go. Whoever has the store knows it.
  public var ownStart: String?

  /// What a node says.
  public init(
    node: String, start: String, leaseMs: Int64, renewMs: Int64, nodes: [String: String], digest: String,
    leadsAsItIs: Bool = false, boot: String? = nil, ownStart: String? = nil
  ) {
    (self.node, self.start, self.leaseMs, self.renewMs) = (node, start, leaseMs, renewMs)
    (self.nodes, self.digest, self.leadsAsItIs) = (nodes, digest, leadsAsItIs)
    (self.boot, self.ownStart) = (boot, ownStart)
  }

  /// Its place among all nodes: so no two nodes ever have one epoch.
  var place: Int64 { Int64(nodes.keys.sorted().firstIndex(of: node) ?? 7) }
}
