public import Lease
public import NATS

/// What a node needs to know to take part in its cluster.
public struct ClusterPlan: Sendable {
  /// The cluster's name: letters, digits, `_` and `-`.
  public var name: String
  /// What the node says of itself in the lease.
  public var terms: LeaseTerms
  /// How NATS is reached.
  public var nats: NATSPlan
  /// Where people find the pages of each node, as far as the file says it.
  public var pages: [String: String]
  /// The node's version.
  public var version: String
  /// How many servers of NATS are to keep lease and log; nil: three where they are a cluster, else one.
  public var replicas: Int?
  /// How long an answer of the log may take, in milliseconds.
  public var storeMs: Int64
  /// How many bytes the log has at most.
  public var logBytes: Int

  /// A plan.
  public init(
    name: String, terms: LeaseTerms, nats: NATSPlan, pages: [String: String], version: String, replicas: Int?,
    storeMs: Int64, logBytes: Int
  ) {
    (self.name, self.terms, self.nats) = (name, terms, nats)
    (self.pages, self.version, self.replicas) = (pages, version, replicas)
    (self.storeMs, self.logBytes) = (storeMs, logBytes)
  }

  /// What all subjects of the cluster begin with.
  var prefix: String { "baton-\(name)" }
  var nodesSubject: String { "\(prefix).nodes" }
  /// Where a node of this name is asked.
  func subject(of node: String) -> String { "\(prefix).node.\(node)" }
  var leaseSubject: String { "\(prefix).lease" }
  var leaseStream: String { "\(prefix)-lease" }
  var logSubject: String { "\(prefix).log" }
  var logStream: String { "\(prefix)-log" }

  /// How many servers of NATS are to keep each stream.
  func replicas(at server: NATSInfo?) -> Int { replicas ?? (server?.cluster == nil ? 1 : 3) }
  /// A subject of this process alone, below which answers come.
  var inbox: String { "\(prefix).inbox.\(terms.start)" }
}
