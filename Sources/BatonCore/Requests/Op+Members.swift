/// The members of each op, as the contract's tables list them. Refusals of unknown members name them, too.
extension Op {
  /// The members that the op must have, apart from `op`, as a mask.
  var required: UInt64 {
    switch self {
    case .send, .broadcast, .explain: Member.topic.mask
    case .insert, .replace, .remove: Member.handler.mask
    case .mount, .unmount: Member.on.mask
    case .subscribe: Member.topics.mask
    case .close: Member.connection.mask
    case .cancel: Member.request.mask
    case .stored, .resend, .discard: Member.stored.mask
    default: 0
    }
  }

  /// The members that the op may have, as a mask. It includes `op` and the required members.
  var allowed: UInt64 {
    switch self {
    case .send:
      Op.request | Op.durability | Op.mask(.topic, .payload, .meta, .chain, .mode, .timeoutMilliseconds, .key, .trace)
    case .cancel:
      Op.request | Op.mask(.request)
    case .insert:
      Op.request | Op.settings | Op.mask(.at, .before, .after, .rank)
    case .replace:
      Op.request | Op.settings | Op.mask(.as)
    case .remove:
      Op.request | Op.mask(.chain, .handler)
    case .move:
      Op.request | Op.mask(.chain, .handler, .on, .at, .before, .after, .rank)
    case .mount:
      Op.request | Op.mask(.chain, .on, .accepts, .at, .before, .after, .rank)
    case .unmount:
      Op.request | Op.mask(.chain, .on)
    case .handled, .continue:
      Op.mask(.op, .id, .payload)
    case .reject:
      Op.mask(.op, .id, .message, .code)
    case .failed:
      Op.mask(.op, .id, .message)
    case .working:
      Op.mask(.op, .id)
    case .subscribe:
      Op.request | Op.mask(.topics, .where, .perSecond, .retained, .after, .epoch)
    case .unsubscribe:
      Op.request | Op.mask(.topics)
    case .broadcast:
      Op.request | Op.mask(.topic, .payload, .meta, .retain, .echo, .via, .timeoutMilliseconds, .key, .trace)
    case .hello:
      Op.request | Op.mask(.name, .token, .heartbeatMilliseconds)
    case .ping, .pong, .help, .findings:
      Op.request
    case .reload:
      Op.request | Op.mask(.check)
    case .inspect:
      Op.request | Op.mask(.chain, .server, .history, .messages, .connections, .changes, .limit, .after)
    case .explain:
      Op.request | Op.mask(.topic, .chain, .limit, .after)
    case .walks:
      Op.request | Op.mask(.chain, .status, .topic, .walk, .limit, .after)
    case .close:
      Op.request | Op.mask(.connection)
    case .stored, .discard:
      Op.request | Op.mask(.stored)
    case .dead:
      Op.request | Op.mask(.chain, .after, .until, .limit, .stored)
    case .resend:
      Op.request | Op.mask(.stored, .payload)
    }
  }

  private static let request = mask(.op, .id, .reply)
  /// The members that are about durable messages.
  @inline(__always)
  static var durability: UInt64 {
    Member.durable.mask | Member.once.mask | Member.tries.mask | Member.retryMilliseconds.mask
      | Member.expiresMilliseconds.mask | Member.delayMilliseconds.mask
  }
  private static let settings = mask(
    .chain, .handler, .accepts, .timeoutMilliseconds, .window, .onFailure, .share, .holdMilliseconds, .required,
    .shadow)

  private static func mask(_ members: Member...) -> UInt64 {
    members.reduce(0) { $0 | $1.mask }
  }
}
