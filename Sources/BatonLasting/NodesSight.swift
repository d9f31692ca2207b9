/// What a node of a cluster knows of all nodes and of what they stand on, as `nodes` and `findings` tell it.
public struct NodesSight: Equatable, Sendable {
  /// One node.
  public struct Node: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// Where clients reach it, as the file says.
    public var address: String
    /// Its version; nil if it does not answer.
    public var version: String?
    /// Whether it leads.
    public var leads = false
    /// Why it could not lead now; nil if it could, or leads.
    public var whyNot: String?
    /// Milliseconds by which its clock is before this one's; nil if that is not known.
    public var wallMilliseconds: Int?
    /// How far its file has come in the log of the cluster: the number of a message in the stream; nil without a store.
    public var position: UInt64?
    /// By how many messages the leader's file has come farther; nil if its file is of another log.
    public var behind: UInt64?
    /// The bytes that are free on its disk; nil if that is not known.
    public var freeBytes: Int?

    /// A node that has not answered.
    public init(name: String, address: String) {
      (self.name, self.address) = (name, address)
      whyNot = "it does not answer"
    }
  }

  /// The leader: this node.
  public var leader: String
  /// The number of this leadership; a later one has a higher number.
  public var epoch: Int64
  /// Since when it leads, in microseconds of the monotonic clock.
  public var since: Int64
  /// How it came to lead: `first`, `taken`, `own`, `handed_over`.
  public var why: String
  /// Why NATS cannot be used now; nil if it can.
  public var engineAway: String?
  /// The version of NATS; nil if it is not known.
  public var engineVersion: String?
  /// The milliseconds that NATS took to answer last; nil if they are not known.
  public var engineMilliseconds: Int?
  /// What is wrong with NATS although it can be used: what was found, and what to do.
  public var engineTroubles: [String] = []
  /// The name of the cluster's log, in 32 hex digits; nil without a store.
  public var log: String?
  /// When the log began again because NATS had lost it, in microseconds of the monotonic clock; nil if it did not under this leader.
  public var logBeganAgain: Int64?
  /// All nodes, by their names.
  public var nodes: [Node] = []

  /// A leader that knows nothing of others yet.
  public init(leader: String, epoch: Int64, since: Int64, why: String) {
    (self.leader, self.epoch, self.since, self.why) = (leader, epoch, since, why)
  }

  /// The nodes that could lead now in the place of the leader.
  public var spares: [String] { nodes.filter { !$0.leads && $0.whyNot == nil }.map(\.name) }
}
