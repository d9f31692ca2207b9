/// Every `op` that a peer may send: the closed set of the contract.
enum Op: UInt8, CaseIterable {
  case send, cancel, insert, replace, remove, move, mount, unmount
  case handled, `continue`, reject, failed, working
  case subscribe, unsubscribe, broadcast
  case hello, ping, pong, help, inspect, explain, walks, findings, close, reload
  case stored, dead, resend, discard

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
    }
  }

  /// Whether the op answers an offer. Such an op is not a request, so it gets no reply unless it is wrong (section 3).
  var isVerdict: Bool {
    switch self {
    case .handled, .continue, .reject, .failed, .working: true
    default: false
    }
  }

  /// The outcome that a trace gives for an offer that was answered with this op.
  var verdictWord: StaticString {
    switch self {
    case .handled: "handled"
    case .reject: "reject"
    case .failed: "failed"
    default: "continue"
    }
  }

  /// The op with this spelling; nil if there is none. Its first eight bytes are enough to find it; the rest is compared
  /// then.
  @inline(never)
  init?(_ bytes: UnsafeRawBufferPointer) {
    // The words below are filled up with NULs. An escape can spell a NUL, so a text that ends in one is refused here.
    guard bytes.count <= 11, bytes.last != 0, let base = bytes.baseAddress else { return nil }
    var word: UInt64 = 0
    if bytes.count >= 8 {
      word = UInt64(littleEndian: base.loadUnaligned(as: UInt64.self))
    } else {
      for at in 0..<bytes.count { word |= UInt64(bytes[at]) << UInt64(at * 8) }
    }
    let op: Op
    switch word {
    case Op.word("send"): op = .send
    case Op.word("cancel"): op = .cancel
    case Op.word("handled"): op = .handled
    case Op.word("continue"): op = .continue
    case Op.word("reject"): op = .reject
    case Op.word("failed"): op = .failed
    case Op.word("working"): op = .working
    case Op.word("broadcas"): op = .broadcast
    case Op.word("insert"): op = .insert
    case Op.word("replace"): op = .replace
    case Op.word("remove"): op = .remove
    case Op.word("move"): op = .move
    case Op.word("mount"): op = .mount
    case Op.word("unmount"): op = .unmount
    case Op.word("subscrib"): op = .subscribe
    case Op.word("unsubscr"): op = .unsubscribe
    case Op.word("hello"): op = .hello
    case Op.word("ping"): op = .ping
    case Op.word("pong"): op = .pong
    case Op.word("help"): op = .help
    case Op.word("inspect"): op = .inspect
    case Op.word("explain"): op = .explain
    case Op.word("walks"): op = .walks
    case Op.word("findings"): op = .findings
    case Op.word("close"): op = .close
    case Op.word("reload"): op = .reload
    case Op.word("stored"): op = .stored
    case Op.word("dead"): op = .dead
    case Op.word("resend"): op = .resend
    case Op.word("discard"): op = .discard
    default: return nil
    }
    if bytes.count > 8, !bytes.elementsEqual(op.spelling.utf8) { return nil }
    if bytes.count == 8, op != .continue, op != .findings { return nil }
    self = op
  }

  @inline(__always)
  private static func word(_ text: StaticString) -> UInt64 {
    var word: UInt64 = 0
    for at in 0..<text.utf8CodeUnitCount { word |= UInt64(text.utf8Start[at]) << UInt64(at * 8) }
    return word
  }
}
