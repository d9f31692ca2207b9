internal import BatonCore
internal import BatonKeeper

// The router's words for the keeper's, and back: neither knows the other.

extension KeeperLimits {
  init(_ settings: Settings) {
    self.init()
    storedMessages = settings.maxStoredMessages
    storedBytes = settings.maxStoredBytes
    deadLetters = settings.maxDeadLetters
    freeBytes = settings.minFreeBytes
    remembered = settings.maxRemembered
    openBytes = settings.maxTotalBytes / 4
    if let pieces = settings.pieces.keeper { (stepsPerTurn, openTries, bytesReadAtOnce) = pieces }
  }
}

extension DurableSend {
  init(_ message: DurableMessage) {
    self.init(
      ticket: message.ticket, identity: message.identity, chain: message.chain,
      content: Content(message.content),
      rules: TryRules(
        tries: UInt32(clamping: message.tries), retryMilliseconds: UInt32(clamping: message.retryMilliseconds),
        timeoutMilliseconds: UInt32(clamping: message.timeoutMilliseconds),
        expiresMilliseconds: UInt32(clamping: message.expiresMilliseconds)))
    delayMilliseconds = UInt32(clamping: message.delayMilliseconds)
    once = message.once
    rememberedMilliseconds = UInt32(clamping: message.rememberedMilliseconds)
  }
}

extension Content {
  init(_ kept: KeptContent) {
    self.init(
      bytes: kept.bytes, headEnd: kept.headEnd, fromEnd: kept.fromEnd, keyEnd: kept.keyEnd, hasKey: kept.hasKey)
  }
}

extension Loaded {
  /// Whether it can be what the router has given once: the file of a store may say anything.
  var isSound: Bool {
    guard case .content(let content, let result, _) = self else { return true }
    return Router.isSound(KeptContent(content)) && result.map { Router.isSound(result: $0) } ?? true
  }
}

extension KeptContent {
  init(_ content: Content) {
    self.init()
    (bytes, headEnd, fromEnd) = (content.bytes, content.headEnd, content.fromEnd)
    (keyEnd, hasKey) = (content.keyEnd, content.hasKey)
  }
}

extension KeptChain {
  init(_ window: KeptChainWindow) { self.init(name: window.chain, window: window.window) }
}

extension KeptLink {
  init(_ place: KeptPlace) { self.init(chain: place.chain, name: place.name) }
}

extension KeptName {
  init(_ id: StoredID) { self.init(high: id.start.high, low: id.start.low, count: id.count) }

  /// Nil if it names no stored message.
  var id: StoredID? { StoredID.Start(high: high, low: low).map { StoredID(start: $0, count: count) } }
}

extension KeptTry {
  init(_ attempt: Try) {
    self.init(
      stored: KeptName(attempt.stored), resent: attempt.resent?.text, number: attempt.number, isAgain: attempt.isAgain,
      chain: attempt.chain, content: KeptContent(attempt.content), timeoutMilliseconds: Int(attempt.timeoutMilliseconds)
    )
  }
}

extension TryEnd {
  init(_ end: KeptTryEnd) {
    self.init(Status(end.status), result: end.result, counts: end.counts, passed: end.passed.map { KeptLink($0) })
    (wasOffered, isOvertaken) = (end.wasOffered, end.isOvertaken)
  }
}

extension TryEnd.Status {
  init(_ status: KeptTryEnd.Status) {
    switch status {
    case .handled: self = .handled
    case .rejected: self = .rejected
    case .unhandled: self = .unhandled
    case .failed: self = .failed
    case .timeout: self = .timeout
    }
  }

  /// As a result spells it.
  var spelling: StaticString {
    switch self {
    case .handled: "handled"
    case .rejected: "rejected"
    case .unhandled: "unhandled"
    case .failed: "failed"
    case .timeout: "timeout"
    }
  }
}

extension ErrorCode {
  init(_ refusal: KeeperRefusal) {
    switch refusal {
    case .notDeclared: self = .notDeclared
    case .storeFailed: self = .storeFailed
    case .storeFull, .rememberedFull, .tooManyMessages, .tooManyBytes, .tooManyDead, .diskFull: self = .storeFull
    case .onceMismatch: self = .onceMismatch
    case .limitReached: self = .limitReached
    case .noSuchMessage: self = .noSuchMessage
    case .damaged: self = .damaged
    case .draining: self = .draining
    case .tooLarge: self = .badMember
    case .unreadable: self = .busy
    }
  }
}

extension KeeperRefusal {
  /// Its words, if its code has several reasons.
  var words: String? {
    switch self {
    case .tooManyMessages: Router.noRoom("max_stored_messages")
    case .tooManyBytes: Router.noRoom("max_stored_bytes")
    case .tooManyDead: Router.noRoom("max_dead_letters")
    case .diskFull: Router.noRoom("min_free_bytes")
    case .rememberedFull: Router.tooManyNames
    case .unreadable: Router.unreadLetters
    default: nil
    }
  }
}

extension KeptLetter {
  /// `isWhole`: payload and meta are told.
  init(_ letter: DeadLetter, isWhole: Bool, wall: Int64) {
    let message = letter.message
    self.init(
      stored: message.id.text, chain: message.chain, tries: Int(message.state.tries),
      agoMilliseconds: Int(max(0, wall - message.acceptedAt)))
    let content = letter.content.flatMap { Loaded.content($0, result: letter.result, resent: nil).isSound ? $0 : nil }
    head = content?.head
    key = content?.key
    payload = isWhole ? content?.payload : nil
    result = letter.result
    isUnreadable = letter.isUnreadable
  }
}
