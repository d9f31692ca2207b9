/// The names of members that a peer may send on the top level of a line: a closed set for all requests and verdicts.
///
/// `Op.allowed` says which members an op takes; here a name is only known or unknown. There are at most 64 members, so
/// that a set of members is one word (`mask`). The members of nearly every line come first.
package enum Member: UInt8, CaseIterable {
  case op, id, topic, payload, meta, reply, timeoutMilliseconds, key, chain, mode, trace
  case handler, accepts, at, before, after, rank, window, onFailure, share, holdMilliseconds, required, shadow, `as`, on
  case topics, echo, via
  case message, code
  case name, token, heartbeatMilliseconds, server, limit
  case history, messages, connections, changes, status, walk, connection, `where`, perSecond
  case check, request
  case retain, retained, epoch
  case durable, once, tries, retryMilliseconds, expiresMilliseconds, delayMilliseconds, stored, until

  /// The set that has only this member.
  package var mask: UInt64 { 1 &<< UInt64(rawValue) }

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
    }
  }
}
