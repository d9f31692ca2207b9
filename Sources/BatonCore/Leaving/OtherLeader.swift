/// Who leads, as a spare tells it to newcomers.
public struct OtherLeader: Equatable, Sendable {
  /// The name of this server's node.
  public let node: String
  /// The leader, and where clients reach it; nil: nobody leads now.
  public let leader: (name: String, address: String)?
  /// Whether this node could lead in its place.
  public let isReady: Bool

  /// A spare beside a leader, or while there is none.
  public init(node: String, leader: (name: String, address: String)?, isReady: Bool) {
    (self.node, self.leader, self.isReady) = (node, leader, isReady)
  }

  /// Whether both say the same.
  public static func == (one: OtherLeader, other: OtherLeader) -> Bool {
    one.node == other.node && one.isReady == other.isReady && one.leader?.name == other.leader?.name
      && one.leader?.address == other.leader?.address
  }

  /// A sentence for people.
  public var words: String { "\(node) is a spare; " + (leader.map { "\($0.name) leads" } ?? "nobody leads now") }
}

/// A wish that another node leads.
public struct HandOver: Equatable, Sendable {
  /// The node; nil: any that could.
  public let to: String?
}
