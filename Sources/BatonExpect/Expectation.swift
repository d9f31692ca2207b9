package import BatonConfig

/// One case of a file of expectations: a message, how the handlers answer, and what is to come of it.
package struct Expectation: Sendable {
  /// What it proves, in the words of its author.
  package var name: String
  /// Where it stands.
  package var place: FilePlace
  /// Who sends.
  var sender = Sender.everything
  /// The request.
  var message: SentMessage
  /// How handlers answer, in the order in which they are written.
  var handlers: [ScriptedHandler] = []
  /// The members of the result that count.
  var result: [ExpectedMember] = []
  /// The code of the error with which the request is refused.
  var error: Sourced<String>?
  /// The links that are asked, in their order.
  var asked: [ExpectedLink]?
  /// The links that are told only: by a notice, or by a copy for a shadow.
  var told: [ExpectedLink]?
  /// Whether a subscriber hears a broadcast, and what.
  var heard: Heard?
  /// The most that the reply may take, in milliseconds.
  var withinMilliseconds: Int?
}

/// As whom a message is sent.
enum Sender: Hashable, Sendable {
  /// Somebody who may do everything.
  case everything
  /// Somebody who has not said who it is, on a server that asks.
  case stranger
  /// Nobody in particular, as the entry `anonymous` allows.
  case anonymous
  /// An entry of `peers`.
  case identity(String)
}

/// The request of a case: its line without `op` and `id`, member by member.
struct SentMessage: Sendable {
  enum Kind: String, Sendable {
    case send, broadcast
  }

  var kind: Kind
  /// Each member with its JSON.
  var members: [(name: String, json: String)] = []
  var topic = ""
  /// The chain that it walks; nil for a broadcast without `via`.
  var chain: String?
  /// Whether links are told and none is asked.
  var isNotice = false
}

/// A handler that is played.
struct ScriptedHandler: Sendable {
  /// The chain and the name of its link.
  var link: LinkName
  /// What it does, one after the other; the last one again and again.
  var answers: [Answer]
}

/// A link by its chain and its name.
struct LinkName: Hashable, Sendable, CustomStringConvertible {
  var chain: String
  var name: String

  var description: String { "\(chain)/\(name)" }
}

/// What a handler does with an offer.
struct Answer: Sendable {
  enum Deed: String, CaseIterable, Sendable {
    /// The verdicts, by their ops.
    case `continue`, handled, reject, failed, working
    /// It says nothing.
    case hangs
    /// It loses its connection.
    case dies
    /// It is not there.
    case absent

    /// Whether it is a verdict.
    var isVerdict: Bool {
      switch self {
      case .continue, .handled, .reject, .failed, .working: true
      case .hangs, .dies, .absent: false
      }
    }

    /// The members that it may have beside it.
    var members: [String] {
      switch self {
      case .continue, .handled: ["payload", "payload_json"]
      case .reject: ["message", "code"]
      case .failed: ["message"]
      case .working, .hangs, .dies, .absent: []
      }
    }
  }

  var deed: Deed
  /// Milliseconds before it.
  var afterMilliseconds = 0
  /// The members of the verdict, with their JSON.
  var members: [(name: String, json: String)] = []
}

/// A link in a list of those that are to be asked: its name, or its chain and its name.
struct ExpectedLink: Sendable, CustomStringConvertible {
  var chain: String?
  var name: String

  var description: String { chain.map { "\($0)/\(name)" } ?? name }

  func means(_ link: LinkName) -> Bool { name == link.name && chain ?? link.chain == link.chain }
}

/// What a subscriber of the topic hears.
enum Heard: Sendable {
  /// Nothing.
  case nothing
  /// The event, of which these members count.
  case event([ExpectedMember])
}

/// One member that is expected.
struct ExpectedMember: Sendable {
  /// Its name in the file: `payload_json` is not the name on the wire.
  var name: String
  var value: Value

  /// Whether it may be any JSON, and not only what its name says.
  var isAnyValue: Bool { ["payload", "meta", "code"].contains(name) }

  enum Value: Sendable {
    /// A value by its meaning.
    case json(JSONValue)
    /// A value by its bytes.
    case bytes(String)
    /// A list whose elements have members that count.
    case list([[ExpectedMember]])
  }
}
