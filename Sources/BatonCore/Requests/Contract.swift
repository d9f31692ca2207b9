// Made by Scripts/contract of Clients/contract.json. Do not change it here.
// swift-format-ignore-file

/// Every `op` that a peer may send: the closed set of the contract.
enum Op: UInt8, CaseIterable {
  case send, cancel, insert, replace, remove, move, mount, unmount, handled, `continue`, reject, failed, working
  case subscribe, unsubscribe, broadcast, hello, ping, pong, help, inspect, explain, walks, findings, close, reload
  case stored, dead, resend, discard, nodes, handOver

  /// The spelling on the wire.
  var spelling: String {
    switch self {
    case .send: "send"
    case .cancel: "cancel"
    case .insert: "insert"
    case .replace: "replace"
    case .remove: "remove"
    case .move: "move"
    case .mount: "mount"
    case .unmount: "unmount"
    case .handled: "handled"
    case .continue: "continue"
    case .reject: "reject"
    case .failed: "failed"
    case .working: "working"
    case .subscribe: "subscribe"
    case .unsubscribe: "unsubscribe"
    case .broadcast: "broadcast"
    case .hello: "hello"
    case .ping: "ping"
    case .pong: "pong"
    case .help: "help"
    case .inspect: "inspect"
    case .explain: "explain"
    case .walks: "walks"
    case .findings: "findings"
    case .close: "close"
    case .reload: "reload"
    case .stored: "stored"
    case .dead: "dead"
    case .resend: "resend"
    case .discard: "discard"
    case .nodes: "nodes"
    case .handOver: "hand_over"
    }
  }

  /// Whether the op answers an offer. Such an op is not a request, so it gets no reply unless it is wrong (section 3).
  var isVerdict: Bool {
    switch self {
    case .handled, .continue, .reject, .failed, .working: true
    default: false
    }
  }

  /// Whether every identity may ask for it (section 11). An op that needs a right has its case in `Router.permit`.
  var needsNoRight: Bool {
    switch self {
    case .cancel, .handled, .continue, .reject, .failed, .working, .unsubscribe, .hello, .ping, .pong, .help: true
    default: false
    }
  }

  /// Whether it is carried out for a peer of which the server does not know yet who it is (section 11).
  var isForStrangers: Bool {
    switch self {
    case .hello, .ping, .pong, .help: true
    default: false
    }
  }

  /// The op whose spelling begins with these eight bytes, NULs behind a shorter one; nil if there is none.
  @inline(__always)
  init?(word: UInt64) {
    switch word {
    case Op.word("send"): self = .send
    case Op.word("cancel"): self = .cancel
    case Op.word("insert"): self = .insert
    case Op.word("replace"): self = .replace
    case Op.word("remove"): self = .remove
    case Op.word("move"): self = .move
    case Op.word("mount"): self = .mount
    case Op.word("unmount"): self = .unmount
    case Op.word("handled"): self = .handled
    case Op.word("continue"): self = .continue
    case Op.word("reject"): self = .reject
    case Op.word("failed"): self = .failed
    case Op.word("working"): self = .working
    case Op.word("subscrib"): self = .subscribe
    case Op.word("unsubscr"): self = .unsubscribe
    case Op.word("broadcas"): self = .broadcast
    case Op.word("hello"): self = .hello
    case Op.word("ping"): self = .ping
    case Op.word("pong"): self = .pong
    case Op.word("help"): self = .help
    case Op.word("inspect"): self = .inspect
    case Op.word("explain"): self = .explain
    case Op.word("walks"): self = .walks
    case Op.word("findings"): self = .findings
    case Op.word("close"): self = .close
    case Op.word("reload"): self = .reload
    case Op.word("stored"): self = .stored
    case Op.word("dead"): self = .dead
    case Op.word("resend"): self = .resend
    case Op.word("discard"): self = .discard
    case Op.word("nodes"): self = .nodes
    case Op.word("hand_ove"): self = .handOver
    default: return nil
    }
  }

  /// The members that the op must have, apart from `op`.
  var needs: [Member] {
    switch self {
    case .send: [.topic]
    case .cancel: [.request]
    case .insert: [.handler]
    case .replace: [.handler]
    case .remove: [.handler]
    case .mount: [.on]
    case .unmount: [.on]
    case .subscribe: [.topics]
    case .broadcast: [.topic]
    case .explain: [.topic]
    case .close: [.connection]
    case .resend: [.stored]
    case .discard: [.stored]
    default: []
    }
  }

  /// The members that the op may have, with `op` and those that it must have.
  var takes: [Member] {
    switch self {
    case .send: [.op, .id, .topic, .payload, .meta, .reply, .timeoutMilliseconds, .key, .chain, .mode, .trace, .within,
      .durable, .once, .tries, .retryMilliseconds, .expiresMilliseconds, .delayMilliseconds]
    case .cancel: [.op, .id, .reply, .request]
    case .insert: [.op, .id, .reply, .timeoutMilliseconds, .chain, .handler, .accepts, .at, .before, .after, .rank,
      .window, .onFailure, .share, .holdMilliseconds, .required, .shadow, .percent, .when]
    case .replace: [.op, .id, .reply, .timeoutMilliseconds, .chain, .handler, .accepts, .window, .onFailure, .share,
      .holdMilliseconds, .required, .shadow, .percent, .when, .as]
    case .remove: [.op, .id, .reply, .chain, .handler, .empty]
    case .move: [.op, .id, .reply, .chain, .handler, .at, .before, .after, .rank, .on]
    case .mount: [.op, .id, .reply, .chain, .accepts, .at, .before, .after, .rank, .percent, .when, .together, .on]
    case .unmount: [.op, .id, .reply, .chain, .on]
    case .handled: [.op, .id, .payload, .message]
    case .continue: [.op, .id, .payload, .message]
    case .reject: [.op, .id, .message, .code]
    case .failed: [.op, .id, .message]
    case .working: [.op, .id]
    case .subscribe: [.op, .id, .reply, .after, .topics, .where, .perSecond, .retained, .epoch]
    case .unsubscribe: [.op, .id, .reply, .topics]
    case .broadcast: [.op, .id, .topic, .payload, .meta, .reply, .timeoutMilliseconds, .key, .trace, .within, .echo,
      .via, .retain]
    case .hello: [.op, .id, .reply, .name, .token, .heartbeatMilliseconds]
    case .ping: [.op, .id, .reply]
    case .pong: [.op, .id, .reply]
    case .help: [.op, .id, .reply]
    case .inspect: [.op, .id, .reply, .chain, .after, .server, .limit, .history, .messages, .connections, .changes]
    case .explain: [.op, .id, .topic, .payload, .meta, .reply, .key, .chain, .after, .limit]
    case .walks: [.op, .id, .topic, .reply, .key, .chain, .handler, .after, .limit, .status, .walk, .disagreed,
      .sinceMilliseconds]
    case .findings: [.op, .id, .reply]
    case .close: [.op, .id, .reply, .connection]
    case .reload: [.op, .id, .reply, .check]
    case .stored: [.op, .id, .reply, .chain, .after, .limit, .once, .stored]
    case .dead: [.op, .id, .reply, .chain, .after, .limit, .stored, .until]
    case .resend: [.op, .id, .payload, .reply, .stored]
    case .discard: [.op, .id, .reply, .stored]
    case .nodes: [.op, .id, .reply]
    case .handOver: [.op, .id, .reply, .to]
    }
  }

  /// A line that a person can type, for the reply to `help`.
  var example: String {
    switch self {
    case .send:
      #"{"op":"send","id":1,"topic":"door.open","payload":{"door":3},"timeout_ms":5000,"trace":true}"#
    case .cancel:
      #"{"op":"cancel","id":16,"request":1}"#
    case .insert:
      #"{"op":"insert","id":2,"handler":"porter","accepts":["door.*"]}"#
    case .replace:
      #"{"op":"replace","id":3,"handler":"porter","as":"doorman"}"#
    case .remove:
      #"{"op":"remove","id":4,"handler":"doorman"}"#
    case .move:
      #"{"op":"move","id":5,"handler":"doorman","at":"front"}"#
    case .mount:
      #"{"op":"mount","id":5,"chain":"kitchen","on":"house","accepts":["public.>"]}"#
    case .unmount:
      #"{"op":"unmount","id":6,"chain":"kitchen","on":"house"}"#
    case .handled:
      #"{"op":"handled","id":1,"payload":{"opened":true}}"#
    case .continue:
      #"{"op":"continue","id":2}"#
    case .reject:
      #"{"op":"reject","id":3,"message":"closed at night","code":403}"#
    case .failed:
      #"{"op":"failed","id":4,"message":"the key is stuck"}"#
    case .working:
      #"{"op":"working","id":5}"#
    case .subscribe:
      #"{"op":"subscribe","id":5,"topics":["door.*"]}"#
    case .unsubscribe:
      #"{"op":"unsubscribe","id":6,"topics":["door.*"]}"#
    case .broadcast:
      #"{"op":"broadcast","id":7,"topic":"door.opened","payload":3}"#
    case .hello:
      #"{"op":"hello","id":8,"name":"cli"}"#
    case .ping:
      #"{"op":"ping","id":9}"#
    case .pong:
      #"{"op":"pong"}"#
    case .help:
      #"{"op":"help"}"#
    case .inspect:
      #"{"op":"inspect","id":10,"chain":"main","server":true}"#
    case .explain:
      #"{"op":"explain","id":11,"topic":"door.open","chain":"main"}"#
    case .walks:
      #"{"op":"walks","id":12,"status":"failed","handler":"porter","since_ms":3600000}"#
    case .findings:
      #"{"op":"findings","id":13}"#
    case .close:
      #"{"op":"close","id":14,"connection":12}"#
    case .reload:
      #"{"op":"reload","id":15}"#
    case .stored:
      #"{"op":"stored","id":17,"stored":"k3f9m2q8w1x7c5z4-1042"}"#
    case .dead:
      #"{"op":"dead","id":18,"chain":"orders"}"#
    case .resend:
      #"{"op":"resend","id":19,"stored":"k3f9m2q8w1x7c5z4-1042"}"#
    case .discard:
      #"{"op":"discard","id":20,"stored":"k3f9m2q8w1x7c5z4-1042"}"#
    case .nodes:
      #"{"op":"nodes","id":21}"#
    case .handOver:
      #"{"op":"hand_over","id":22,"to":"b"}"#
    }
  }
}

/// The names of members that a peer may send on the top level of a line: a closed set for all requests and verdicts.
///
/// `Op.takes` says which members an op takes; here a name is only known or unknown. The members of nearly every line come
/// first.
package enum Member: UInt8, CaseIterable {
  case op, id, topic, payload, meta, reply, timeoutMilliseconds, key, chain, mode, trace, handler, accepts, at, before
  case after, rank, window, onFailure, share, holdMilliseconds, required, shadow, percent, within, when, together
  case `as`, on, topics, echo, via, message, code, name, token, heartbeatMilliseconds, server, limit, history
  case messages, connections, changes, status, walk, connection, `where`, perSecond, check, request, retain, retained
  case epoch, durable, once, tries, retryMilliseconds, expiresMilliseconds, delayMilliseconds, stored, until, empty
  case disagreed, sinceMilliseconds, to

  /// The spelling on the wire.
  package var spelling: StaticString {
    switch self {
    case .op: "op"
    case .id: "id"
    case .topic: "topic"
    case .payload: "payload"
    case .meta: "meta"
    case .reply: "reply"
    case .timeoutMilliseconds: "timeout_ms"
    case .key: "key"
    case .chain: "chain"
    case .mode: "mode"
    case .trace: "trace"
    case .handler: "handler"
    case .accepts: "accepts"
    case .at: "at"
    case .before: "before"
    case .after: "after"
    case .rank: "rank"
    case .window: "window"
    case .onFailure: "on_failure"
    case .share: "share"
    case .holdMilliseconds: "hold_ms"
    case .required: "required"
    case .shadow: "shadow"
    case .percent: "percent"
    case .within: "within"
    case .when: "when"
    case .together: "together"
    case .as: "as"
    case .on: "on"
    case .topics: "topics"
    case .echo: "echo"
    case .via: "via"
    case .message: "message"
    case .code: "code"
    case .name: "name"
    case .token: "token"
    case .heartbeatMilliseconds: "heartbeat_ms"
    case .server: "server"
    case .limit: "limit"
    case .history: "history"
    case .messages: "messages"
    case .connections: "connections"
    case .changes: "changes"
    case .status: "status"
    case .walk: "walk"
    case .connection: "connection"
    case .where: "where"
    case .perSecond: "per_second"
    case .check: "check"
    case .request: "request"
    case .retain: "retain"
    case .retained: "retained"
    case .epoch: "epoch"
    case .durable: "durable"
    case .once: "once"
    case .tries: "tries"
    case .retryMilliseconds: "retry_ms"
    case .expiresMilliseconds: "expires_ms"
    case .delayMilliseconds: "delay_ms"
    case .stored: "stored"
    case .until: "until"
    case .empty: "empty"
    case .disagreed: "disagreed"
    case .sinceMilliseconds: "since_ms"
    case .to: "to"
    }
  }
}

/// A set of members: a bit for each.
package typealias MemberSet = UInt128

extension Member {
  @inline(__always)
  static var durability: MemberSet { Member.durable.mask | Member.once.mask | Member.tries.mask |
    Member.retryMilliseconds.mask | Member.expiresMilliseconds.mask | Member.delayMilliseconds.mask }
}

/// What the value of a member is.
enum MemberKind {
  case any, choice, code, condition, epoch, file, flag, id, integer, key, name, number, offer, once, page, pattern
  case patterns, policy, request, status, stored, text, token, topic, `where`, word
}

extension Member {
  /// What its value is.
  @inline(__always)
  func kind(in op: Op) -> MemberKind {
    switch (op, self) {
    case (.handled, .id): .offer
    case (.continue, .id): .offer
    case (.reject, .id): .offer
    case (.failed, .id): .offer
    case (.working, .id): .offer
    case (.subscribe, .after): .integer
    case (.inspect, .after): .page
    case (.explain, .after): .page
    case (.walks, .topic): .pattern
    case (.walks, .after): .page
    case (.stored, .after): .page
    case (.dead, .after): .stored
    default: kind
    }
  }

  @inline(__always)
  private var kind: MemberKind {
    switch self {
    case .payload, .meta: .any
    case .mode, .at: .choice
    case .code: .code
    case .when: .condition
    case .epoch: .epoch
    case .check: .file
    case .reply, .trace, .share, .required, .shadow, .together, .echo, .server, .history, .messages, .connections,
      .changes, .retain, .retained, .durable, .empty, .disagreed: .flag
    case .id: .id
    case .timeoutMilliseconds, .window, .holdMilliseconds, .percent, .within, .heartbeatMilliseconds, .limit, .walk,
      .connection, .perSecond, .tries, .retryMilliseconds, .expiresMilliseconds, .delayMilliseconds, .sinceMilliseconds:
      .integer
    case .key: .key
    case .chain, .handler, .before, .after, .as, .on, .via, .name, .to: .name
    case .rank: .number
    case .once: .once
    case .accepts, .topics: .patterns
    case .onFailure: .policy
    case .request: .request
    case .status: .status
    case .stored, .until: .stored
    case .message: .text
    case .token: .token
    case .topic: .topic
    case .where: .where
    case .op: .word
    }
  }
}

/// The numbers that members may have. Some of them also stand in the configuration file (contract, sections 5 and 11).
package enum MemberRange {
  package static var timeoutMilliseconds: ClosedRange<Int64> { 1...86_400_000 }
  package static var window: ClosedRange<Int64> { 1...65_536 }
  package static var holdMilliseconds: ClosedRange<Int64> { 0...86_400_000 }
  package static var percent: ClosedRange<Int64> { 0...100 }
  package static var within: ClosedRange<Int64> { 0...1000 }
  package static var heartbeatMilliseconds: ClosedRange<Int64> { 100...86_400_000 }
  package static var limit: ClosedRange<Int64> { 1...1000 }
  package static var walk: ClosedRange<Int64> { 1...Int64.max }
  package static var connection: ClosedRange<Int64> { 1...Int64.max }
  package static var perSecond: ClosedRange<Int64> { 1...100_000 }
  package static var tries: ClosedRange<Int64> { 1...1000 }
  package static var retryMilliseconds: ClosedRange<Int64> { 1...600_000 }
  package static var expiresMilliseconds: ClosedRange<Int64> { 1...604_800_000 }
  package static var delayMilliseconds: ClosedRange<Int64> { 1...604_800_000 }
  package static var sinceMilliseconds: ClosedRange<Int64> { 1...31_536_000_000 }
  package static var slowerThanMilliseconds: ClosedRange<Int64> { 0...86_400_000 }
  package static var keep: ClosedRange<Int64> { 1...1_000_000 }
  package static var keepMilliseconds: ClosedRange<Int64> { 1...604_800_000 }

  /// Of a member of an op. It is a whole number.
  @inline(__always)
  static func of(_ member: Member, in op: Op) -> ClosedRange<Int64> {
    switch (op, member) {
    case (.subscribe, .after): 0...Int64.max
    case (.dead, .limit): 1...100
    default: of(member)
    }
  }

  @inline(__always)
  private static func of(_ member: Member) -> ClosedRange<Int64> {
    switch member {
    case .timeoutMilliseconds: timeoutMilliseconds
    case .window: window
    case .holdMilliseconds: holdMilliseconds
    case .percent: percent
    case .within: within
    case .heartbeatMilliseconds: heartbeatMilliseconds
    case .limit: limit
    case .walk: walk
    case .connection: connection
    case .perSecond: perSecond
    case .tries: tries
    case .retryMilliseconds: retryMilliseconds
    case .expiresMilliseconds: expiresMilliseconds
    case .delayMilliseconds: delayMilliseconds
    case .sinceMilliseconds: sinceMilliseconds
    default: .min ... .max
    }
  }

  /// How many bytes the text of a member may have.
  @inline(__always)
  package static func bytes(of member: Member) -> ClosedRange<Int> {
    switch member {
    case .key: 1...255
    case .message: 0...1024
    case .code: 0...1024
    case .token: 0...256
    case .check: 0...1_048_576
    case .epoch: 1...64
    case .once: 1...128
    default: 0 ... .max
    }
  }

  /// The words that a member may have.
  static func choices(of member: Member) -> [StaticString] {
    switch member {
    case .mode: ["first", "all", "notify"]
    case .at: ["front", "back"]
    default: []
    }
  }

  /// How many patterns a list may have.
  package static var patterns: Int { 64 }
  /// How many bytes the text of a file may have.
  package static var fileBytes: Int { bytes(of: .check).upperBound }
  /// How many bytes a message counts beside its own (contract, section 10).
  package static var messageOverhead: Int { 1024 }
}

/// The `code` of an `error` line, for programs: those of the contract that the core says. Section 9 says when each one is sent.
public enum ErrorCode: String, CaseIterable, Sendable {
  case badJSON = "bad_json"
  case tooDeep = "too_deep"
  case lineTooLong = "line_too_long"
  case lineTimeout = "line_timeout"
  case notJSONLines = "not_json_lines"
  case missingMember = "missing_member"
  case badMember = "bad_member"
  case unknownMember = "unknown_member"
  case duplicateMember = "duplicate_member"
  case unknownOp = "unknown_op"
  case badTopic = "bad_topic"
  case badPattern = "bad_pattern"
  case badName = "bad_name"
  case nameTaken = "name_taken"
  case noSuchHandler = "no_such_handler"
  case noSuchConnection = "no_such_connection"
  case closedByPeer = "closed_by_peer"
  case noSuchMount = "no_such_mount"
  case mountCycle = "mount_cycle"
  case linkMismatch = "link_mismatch"
  case notAllowed = "not_allowed"
  case authRequired = "auth_required"
  case authFailed = "auth_failed"
  case badConfig = "bad_config"
  case identityChanged = "identity_changed"
  case unknownOffer = "unknown_offer"
  case lateVerdict = "late_verdict"
  case missingID = "missing_id"
  case noStore = "no_store"
  case notDeclared = "not_declared"
  case storeFailed = "store_failed"
  case storeFull = "store_full"
  case recordFailed = "record_failed"
  case onceMismatch = "once_mismatch"
  case noSuchMessage = "no_such_message"
  case damaged
  case noCluster = "no_cluster"
  case noSpare = "no_spare"
  case busy
  case limitReached = "limit_reached"
  case loop
  case draining
  case notLeading = "not_leading"
  case tooManyErrors = "too_many_errors"
  case tooManyConnections = "too_many_connections"
  case tooSlow = "too_slow"
  case idle

  /// Whether the error is about the form of a line, or about an offer that never was there. These errors count towards
  /// `too_many_errors` (section 9).
  var isAboutForm: Bool {
    switch self {
    case .badJSON, .tooDeep, .missingMember, .badMember, .unknownMember, .duplicateMember, .unknownOp, .badTopic,
      .badPattern, .badName, .unknownOffer, .missingID: true
    default: false
    }
  }
}

/// Why a link fails a message (contract, section 6).
public enum Cause: UInt8, CaseIterable, Sendable {
  case timeout, disconnect, failed, overload, breaker

  /// The word on the wire.
  public var spelling: StaticString {
    switch self {
    case .timeout: "timeout"
    case .disconnect: "disconnect"
    case .failed: "failed"
    case .overload: "overload"
    case .breaker: "breaker"
    }
  }

  /// The message that the sender gets if the handler did not send one. `wasAsked`: the handler had the offer.
  func text(wasAsked: Bool) -> StaticString {
    switch self {
    case .timeout:
      "the offer timed out"
    case .disconnect:
      wasAsked ? "the handler's connection was lost" : "absent: no handler serves it"
    case .failed:
      "the handler failed"
    case .overload:
      "the link's queue is full, or the sender's share of it is, or the message waited there longer than its share of time"
    case .breaker:
      "the breaker is open: too many consecutive offers timed out"
    }
  }
}
