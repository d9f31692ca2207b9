/// Something that the operator should know, noted for the server's log. The core says what happened, and to whom; the
/// server gives it its words.
public struct JournalEntry: Equatable, Sendable {
  /// What happened.
  public let kind: JournalKind
  /// 0 for one event. If it is more, so many events of this kind came since the last entry: it was less than a second
  /// ago, so that they had to wait. The fact `first` names the first of them, and `within_ms` is the time since then; of
  /// failures, since they began to be counted.
  public let more: Int
  /// To whom it happened, and what else is known.
  public let facts: [JournalFact]
}

/// What an entry of the journal is about. Each of these has one entry a second at most for each identity.
public enum JournalKind: Hashable, Sendable {
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
  /// A link has another place.
  case moves
  /// A link has failed a message for the first time, or after a minute without failures.
  case beginsToFail
  /// A link has failed more messages since it was told last.
  case failsOn
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
  /// The token of an identity came over plain TCP from another machine.
  case exposesToken
  /// A peer asked the server to read its file anew.
  case asksToReload
  /// A peer closes the connection of another one.
  case closesAnother
  /// A durable message is a dead letter from now on.
  case dies
  /// The disk of the store does not take what is written.
  case storeFails
  /// It takes it again.
  case storeWorks
  /// The server ends a connection.
  case closes(CloseReason)
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

/// A peer, as the log names it.
struct JournalPeer {
  /// As others see it: with its identity, if it has one.
  let name: String
  /// Where it is; nil if that is not known.
  let address: String?

  var facts: [JournalFact] { [.text("by", name)] + (address.map { [.text("address", $0)] } ?? []) }
  /// In a list of several.
  var subject: String { address.map { "\(name) (\($0))" } ?? name }
}
