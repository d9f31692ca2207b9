/// What a peer asks with one line: the members that it gives, as values.
package enum Request {
  case send(Send)
  case insert(Insert)
  case replace(Replace)
  case remove(chain: String?, handler: String)
  case removeEmpty(chain: String?)
  case mount(Mount)
  case unmount(chain: String?, on: String)
  case move(Move)
  case verdict(Verdict)
  case subscribe([String], TraceWish?, KeptWish = KeptWish())
  case unsubscribe([String]?)
  case broadcast(Broadcast)
  case explain(
    topic: String, chain: String?, key: String? = nil, payload: String? = nil, meta: String? = nil, page: PageWish)
  case inspect(InspectWish)
  case walks(WalksWish)
  case hello(name: String?, heartbeatMilliseconds: Int?, token: String? = nil)
  case close(connection: Int)
  /// The id as JSON.
  case cancel(request: String)
  /// Without members of its own.
  case plain(PlainOp)
  /// A line whose form is wrong. The test that makes it says with which code it is refused.
  case wrong(line: String, code: String)
}

/// An op that has no members but those of every request.
package enum PlainOp: String { case ping, pong, findings, reload }

/// Section 7, "Some traces only": the members of `where`, and `per_second`.
package struct TraceWish {
  package var chain: String?
  package var topic: String?
  package var status: String?
  package var slowerThanMilliseconds: Int?
  package var from: String?
  package var perSecond: Int?

  package init() {}
}

/// Section 14: the members of `subscribe` that ask for what is kept.
package struct KeptWish {
  package var retained: Bool?
  package var after: Int?
  package var epoch: String?

  package init() {}
}

/// Section 8, "Inspect".
package struct InspectWish {
  package var chain: String?
  package var server = false
  package var messages = false
  package var connections = false
  package var changes = false
  package var history = false
  package var page = PageWish(limit: nil)

  package init() {}

  /// Whether the answer may be long, however few links are on a page.
  package var isLong: Bool { messages || connections || changes }
}

/// Section 8, "Walks".
package struct WalksWish {
  package var chain: String?
  package var status: String?
  package var topic: String?
  package var walk: Int?
  package var handler: String?
  package var key: String?
  package var since: Int?
  package var disagreed: Bool?
  package var limit: Int?
  package var after: String?

  package init() {}
}

/// Section 8, "Pages".
package struct PageWish {
  package var limit: Int?
  package var after: String?

  package init(limit: Int?, after: String? = nil) {
    self.limit = limit
    self.after = after
  }
}

/// A request with the members that every request may have (contract, section 3).
package struct Asked {
  /// The id as it is spelled. A verdict's id is the offer's number.
  package var id: String?
  package var wantsReply: Bool
  package var request: Request
  /// The line as its peer spells it, without its LF: the model counts its bytes.
  package var line = ""

  package init(id: String? = nil, wantsReply: Bool = true, _ request: Request) {
    self.id = id
    self.wantsReply = wantsReply
    self.request = request
  }
}

/// Section 4. JSON values are kept as they are spelled.
package struct Send {
  package enum Mode: String { case first, all, notify }

  package var topic: String
  package var payload: String?
  package var meta: String?
  package var chain: String?
  package var mode: Mode?
  package var timeoutMilliseconds: Int?
  package var key: String?
  package var trace: Bool?
  package var within: Int?

  package init(topic: String) { self.topic = topic }
}

/// Section 5: where a link goes.
package enum Place {
  case front, back
  case before(String)
  case after(String)
  /// The number as it is spelled.
  case rank(String)
}

/// Section 5: the settings of a link that a line gives; the others are the default's or the old ones.
package struct GivenSettings {
  package var accepts: [String]?
  package var timeoutMilliseconds: Int?
  package var window: Int?
  package var onFailure: Policy?
  package var share: Bool?
  package var holdMilliseconds: Int?
  package var required: Bool?
  package var shadow: Bool?
  package var percent: Int?
  /// As JSON.
  package var when: String?

  package init() {}
}

/// Section 5.
package struct Insert {
  package var chain: String?
  package var handler: String
  package var place: Place?
  package var settings = GivenSettings()

  package init(chain: String?, handler: String) {
    self.chain = chain
    self.handler = handler
  }
}

/// Section 5.
package struct Replace {
  package var chain: String?
  package var handler: String
  package var newName: String?
  package var settings = GivenSettings()

  package init(chain: String?, handler: String) {
    self.chain = chain
    self.handler = handler
  }
}

/// Section 5, "Mounting".
package struct Mount {
  package var chain: String?
  package var on: String
  package var accepts: [String]?
  package var percent: Int?
  package var when: String?
  package var together: Bool?
  package var place: Place?

  package init(chain: String?, on: String) {
    self.chain = chain
    self.on = on
  }
}

/// Section 5, "Moving a link".
package struct Move {
  package var chain: String?
  /// The handler, or the mounted chain.
  package var name: String
  package var isMount: Bool
  package var place: Place

  package init(chain: String?, name: String, isMount: Bool, place: Place) {
    (self.chain, self.name, self.isMount, self.place) = (chain, name, isMount, place)
  }
}

/// Section 5: the answer to an offer. Its number is in `Asked.id`.
package struct Verdict {
  package enum Kind: String, CaseIterable { case handled, `continue`, reject, failed, working }

  package var kind: Kind
  package var payload: String?
  package var message: String?
  /// A string with its quotes, or a whole number.
  package var code: String?

  package init(_ kind: Kind) { self.kind = kind }
}

/// Section 7.
package struct Broadcast {
  package var topic: String
  package var payload: String?
  package var meta: String?
  package var echo: Bool?
  /// Section 14.
  package var retain: Bool?
  /// The chain that it walks first. The three members below need it.
  package var via: String?
  package var timeoutMilliseconds: Int?
  package var key: String?
  package var trace: Bool?
  package var within: Int?

  package init(topic: String) { self.topic = topic }
}
