/// Something that the operator should know, noted for the server's log. The core says what happened, and to whom; the
/// server gives it its words.
public struct JournalEntry: Equatable, Sendable {
  /// What happened.
  public let kind: JournalKind
  /// 0 for one event. If it is more, so many events of this kind were not noted one by one, because the second before
  /// had an entry already. Of the kind `fails` these are links.
  public let more: Int
  /// To whom it happened, and what else is known.
  public let facts: [JournalFact]
}

/// What an entry of the journal is about. Each of these has one entry a second at most.
public enum JournalKind: Equatable, Sendable {
  /// A connection began to serve a link.
  case serves
  /// A chain was mounted.
  case mounts
  /// A connection no longer serves a link, or a link has ended.
  case leaves
  /// The last connection of a link is gone, and the link's place is kept.
  case holds
  /// A link has a new owner.
  case replaces
  /// A link has failed messages.
  case fails
  /// A breaker has opened.
  case breakerOpens
  /// A breaker has closed.
  case breakerCloses
  /// A subscriber begins to miss events.
  case missesEvents
  /// A subscriber is told how many events it has missed, or ends before that.
  case missedEvents
  /// A peer asked for something that it may not do.
  case denied
  /// The server ends a connection.
  case closes(CloseReason)

  /// All of them, each at the place that `index` says.
  static let all: [JournalKind] =
    [
      .serves, .mounts, .leaves, .holds, .replaces, .fails, .breakerOpens, .breakerCloses, .missesEvents, .missedEvents,
      .denied,
    ]
    + CloseReason.allCases.map { .closes($0) }

  var index: Int {
    switch self {
    case .serves: 0
    case .mounts: 1
    case .leaves: 2
    case .holds: 3
    case .replaces: 4
    case .fails: 5
    case .breakerOpens: 6
    case .breakerCloses: 7
    case .missesEvents: 8
    case .missedEvents: 9
    case .denied: 10
    case .closes(let reason): 11 + reason.index
    }
  }
}

/// One thing that is known of an event: its name in the log, and its value.
public struct JournalFact: Equatable, Sendable {
  /// A text of a peer, or a number. The unit of a number is in its name (`_ms`) or is bytes or a count.
  public enum Value: Equatable, Sendable {
    /// Text, as a peer or the contract spells it.
    case text(String)
    /// A count, bytes or milliseconds.
    case number(Int)
  }

  /// The name.
  public let name: String
  /// The value.
  public let value: Value

  /// A text with a name.
  static func text(_ name: String, _ text: String) -> JournalFact { JournalFact(name: name, value: .text(text)) }
  /// A number with a name.
  static func number(_ name: String, _ number: Int) -> JournalFact { JournalFact(name: name, value: .number(number)) }
}

extension CloseReason {
  fileprivate var index: Int {
    switch self {
    case .finished: 0
    case .lineTooLong: 1
    case .lineTimeout: 2
    case .notJSONLines: 3
    case .tooManyErrors: 4
    case .tooManyConnections: 5
    case .tooSlow: 6
    case .idle: 7
    case .closedByPeer: 8
    case .draining: 9
    case .authRequired: 10
    case .authFailed: 11
    case .identityChanged: 12
    }
  }
}
