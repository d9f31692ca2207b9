/// What the server of a node has to know of its cluster, as of now.
public struct NodeNews: Equatable, Sendable {
  /// Whether the node leads.
  public var leads = false
  /// How it came to lead.
  public var why = ""
  /// Why it leads no longer; nil if it does, or never did.
  public var ended: String?
  /// Why the process has to end; nil if it need not.
  public var mustEnd: String?
  /// Whether the process is to start itself anew: its store is another one.
  public var startsAnew = false
  /// Who leads; nil if nobody does, as far as the node knows.
  public var leader: String?
  /// Where clients reach it.
  public var leaderAddress: String?
  /// Where people find its pages.
  public var leaderPages: String?
  /// Why a spare could not lead now; nil if it could.
  public var whyNot: String?
  /// Whether a spare tells newcomers where to go. Otherwise they wait: soon somebody leads.
  public var tellsNewcomers = false
  /// Why NATS cannot be used; nil if it can.
  public var engineAway: String?
  /// What a leader knows of all nodes.
  public var sight: NodesSight?
  /// Counts how often the operator's file is to be read, because the leader's is another one.
  public var readings = 0

  /// A node that knows nothing yet.
  public init() {}
}

/// Something that a node's log tells.
public struct NodeNote: Sendable {
  /// Whether somebody has to do something about it.
  public let isWarning: Bool
  /// What has happened.
  public let text: String
  /// What belongs to it.
  public let facts: [(name: String, value: String)]

  /// A note.
  public init(isWarning: Bool = false, _ text: String, _ facts: [(name: String, value: String)] = []) {
    (self.isWarning, self.text, self.facts) = (isWarning, text, facts)
  }
}
