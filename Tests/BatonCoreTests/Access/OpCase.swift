import Testing

@testable import BatonCore

/// A request, and all rights that it needs in `AccessWorld`. Without any one of them it is refused.
struct OpCase: CustomTestStringConvertible, Sendable {
  let op: Op
  /// The line without its `op` and `id`; each with a comma before it.
  let members: String
  let needs: [String]
  /// The right that the refusal names, if it is not the one that is missing: another one would be enough, too.
  var told: String?
  /// What the peer says before, to be in the state in which the request makes sense.
  var before: [String] = []
  /// The `code` with which the request ends if it is allowed; nil if it is carried out.
  var code: String?

  init(
    _ op: Op, _ members: String = "", needs: [String] = [], told: String? = nil, before: [String] = [],
    code: String? = nil
  ) {
    self.op = op
    self.members = members.isEmpty ? "" : "," + members
    self.needs = needs
    self.told = told
    self.before = before
    self.code = code
  }

  var line: String { #"{"op":"\#(op.spelling)","id":7\#(members)}"# }
  var testDescription: String { "\(line) with \(needs)" }

  /// The requests of an op. An op that needs a right and has none here is said without any right: its test fails.
  static func all(of op: Op) -> [OpCase] {
    switch op {
    case .send: sends
    case .cancel: [OpCase(op, #""request":1"#)]
    case .broadcast: broadcasts
    case .subscribe: subscribes
    case .insert: inserts
    case .replace: replaces
    case .remove:
      [
        OpCase(op, #""handler":"porter""#, needs: ["serve main/porter"]),
        OpCase(op, #""handler":"porter""#, needs: ["manage main"], told: "serve main/porter"),
        OpCase(op, #""handler":"kept""#, needs: ["serve main/kept on k.>"], told: "serve main/kept"),
        OpCase(
          op, #""handler":"porter""#, needs: ["serve main/porter on a.b"], told: "serve main/porter",
          code: "not_allowed"),
        OpCase(op, #""handler":"nobody""#, needs: ["serve main/nobody"], code: "no_such_handler"),
        OpCase(op, #""empty":true"#, needs: ["manage main"]),
      ]
    case .mount:
      [
        OpCase(op, #""on":"kitchen","accepts":["a.b"]"#, needs: ["manage main", "send to kitchen on a.b"]),
        OpCase(
          op, #""on":"house","accepts":["a.b","c.>"],"at":"front""#,
          needs: ["manage main", "send to house on a.*", "send to house on c.>"],
          told: "send to house on a.b"),
        OpCase(op, #""on":"nothing","chain":"house""#, needs: ["manage house", "send to nothing"]),
      ]
    case .move:
      [
        OpCase(op, #""handler":"porter","at":"back""#, needs: ["manage main"]),
        OpCase(op, #""on":"kitchen","chain":"house","rank":7"#, needs: ["manage house"]),
        OpCase(op, #""handler":"nobody","at":"front""#, needs: ["manage main"], code: "no_such_handler"),
        OpCase(op, #""handler":"policy","at":"back""#, needs: ["manage main"], code: "not_allowed"),
      ]
    case .unmount:
      [
        OpCase(op, #""on":"kitchen","chain":"house""#, needs: ["manage house"]),
        OpCase(op, #""on":"porter""#, needs: ["manage main"], code: "no_such_mount"),
      ]
    case .handled, .continue, .reject, .failed, .working: []
    case .inspect:
      [
        OpCase(op, #""history":true"#),
        OpCase(op, #""chain":"kitchen","messages":true"#, needs: ["see kitchen"]),
        OpCase(op, #""chain":"nothing""#, needs: ["see nothing"]),
        OpCase(op, #""server":true"#, needs: ["see server"]),
        OpCase(op, #""connections":true,"changes":true"#, needs: ["see server"]),
        OpCase(op, #""chain":"main","connections":true"#, needs: ["see main", "see server"]),
      ]
    case .explain: [OpCase(op, #""topic":"a","chain":"kitchen""#, needs: ["see kitchen"])]
    case .walks: [OpCase(op), OpCase(op, #""chain":"kitchen""#, needs: ["see kitchen"])]
    // Who may see the server, or any chain, is answered: the transcript `11-findings-hidden` has it.
    case .findings: [OpCase(op, code: "not_allowed")]
    case .close:
      [
        OpCase(op, #""connection":1"#, needs: ["manage server"]),
        OpCase(op, #""connection":999"#, needs: ["manage server"], code: "no_such_connection"),
      ]
    case .reload: [OpCase(op, needs: ["manage server"])]
    case .nodes: [OpCase(op, needs: ["see server"], code: "no_cluster")]
    case .handOver: [OpCase(op, needs: ["manage server"], code: "no_cluster")]
    case .dead:
      [
        OpCase(op, #""chain":"kitchen""#, needs: ["see kitchen"]),
        OpCase(op, #""stored":"k3f9m2q8w1x7c5z4-1""#, code: "no_such_message"),
      ]
    // What they need depends on the chain of the message: transcripts of section 15 have it.
    case .stored:
      [
        OpCase(op, #""stored":"k3f9m2q8w1x7c5z4-1""#, code: "no_such_message"),
        OpCase(op, #""once":"order-17""#, code: "no_such_message"),
        OpCase(op, #""chain":"kitchen""#, needs: ["see kitchen"]),
      ]
    case .resend, .discard: [OpCase(op, #""stored":"k3f9m2q8w1x7c5z4-1""#, code: "no_such_message")]
    default: [OpCase(op)]
    }
  }

  private static let sends = [
    OpCase(.send, #""topic":"door.open","chain":"kitchen""#, needs: ["send to kitchen on door.open"]),
    OpCase(.send, #""topic":"door.open""#, needs: ["send to m* on door.*"], told: "send to main on door.open"),
    OpCase(.send, #""topic":"a","chain":"house","mode":"notify""#, needs: ["send to house on a"]),
    OpCase(.send, #""topic":"a","chain":"house","durable":true"#, needs: ["send to house on a"], code: "not_declared"),
    OpCase(.send, #""topic":"a","chain":"nothing","mode":"all""#, needs: ["send to nothing on a"]),
    OpCase(
      .send, #""topic":"a","chain":"kitchen","trace":true"#, needs: ["send to kitchen on a", "see kitchen"]),
  ]

  private static let broadcasts = [
    OpCase(.broadcast, #""topic":"chat.a""#, needs: ["broadcast chat.a"]),
    OpCase(.broadcast, #""topic":"chat.a","via":"kitchen""#, needs: ["broadcast chat.a via kitchen"]),
    OpCase(
      .broadcast, #""topic":"chat.a","via":"kitchen""#, needs: ["broadcast chat.a", "send to kitchen on chat.a"],
      told: "broadcast chat.a via kitchen"),
    OpCase(
      .broadcast, #""topic":"chat.a","via":"kitchen","trace":true"#,
      needs: ["broadcast chat.a via kitchen", "see kitchen"]),
  ]

  private static let subscribes = [
    OpCase(.subscribe, #""topics":["chat.a","door.*"]"#, needs: ["subscribe chat.a", "subscribe door.*"]),
    OpCase(
      .subscribe, #""topics":["chat.a","$baton.link.failed"]"#,
      needs: ["subscribe chat.a", "subscribe $baton.link.failed", "see server"]),
    OpCase(
      .subscribe, #""topics":["$baton.trace"],"where":{"chain":"main"}"#,
      needs: ["subscribe $baton.trace", "see server"]),
  ]

  private static let inserts: [OpCase] =
    [
      OpCase(.insert, #""handler":"new""#, needs: ["serve main/new"]),
      OpCase(.insert, #""handler":"new","rank":-7"#, needs: ["serve main/new"]),
      OpCase(.insert, #""handler":"new","chain":"fresh""#, needs: ["serve fresh/new"]),
      OpCase(
        .insert, #""handler":"new","accepts":["a.b","c.d"]"#,
        needs: ["serve main/new on a.b", "serve main/new on c.d"]),
      OpCase(.insert, #""handler":"kept","accepts":["k.a"]"#, needs: ["serve main/kept on k.a"]),
      OpCase(
        .insert, #""handler":"kept","accepts":["k.a"],"on_failure":"continue""#,
        needs: ["serve main/kept on k.a", "manage main"]),
      OpCase(.insert, #""handler":"kept","accepts":["k.b"]"#, needs: ["serve main/kept on k.b"], code: "not_allowed"),
      OpCase(.insert, #""handler":"gate""#, needs: ["serve main/gate"]),
      OpCase(.insert, #""handler":"shared","share":true"#, needs: ["serve main/shared"]),
      OpCase(.insert, #""handler":"porter""#, needs: ["serve main/porter"], code: "name_taken"),
    ]
    + [
      #""at":"front""#, #""before":"porter""#, #""after":"porter""#, #""required":true"#, #""on_failure":"stop""#,
      #""hold_ms":5"#, #""shadow":true"#,
    ].map { OpCase(.insert, #""handler":"new",\#($0)"#, needs: ["serve main/new", "manage main"]) }
    + [
      OpCase(
        .insert, #""handler":"new","before":"nobody""#, needs: ["serve main/new", "manage main"],
        code: "no_such_handler")
    ]

  private static let replaces: [OpCase] =
    [
      OpCase(
        .replace, #""handler":"kept","accepts":["k.a"]"#, needs: ["serve main/kept on k.>"],
        told: "serve main/kept on k.a"),
      // A part of the link's patterns is not enough.
      OpCase(
        .replace, #""handler":"porter","accepts":["a.b"]"#, needs: ["serve main/porter on a.b"], code: "not_allowed"),
      OpCase(.replace, #""handler":"porter""#, needs: ["serve main/porter"]),
      OpCase(.replace, #""handler":"porter""#, needs: ["manage main"], told: "serve main/porter"),
      OpCase(.replace, #""handler":"kept""#, needs: ["serve main/kept on k.>"], told: "serve main/kept"),
      OpCase(.replace, #""handler":"porter","as":"new""#, needs: ["serve main/porter", "serve main/new"]),
      OpCase(.replace, #""handler":"policy""#, needs: ["serve main/policy"]),
      OpCase(.replace, #""handler":"nobody""#, needs: ["serve main/nobody"], code: "no_such_handler"),
    ]
    + [#""required":true"#, #""on_failure":"stop""#, #""hold_ms":5"#, #""shadow":true"#].map {
      OpCase(.replace, #""handler":"porter",\#($0)"#, needs: ["manage main"], told: "serve main/porter")
    }
}
