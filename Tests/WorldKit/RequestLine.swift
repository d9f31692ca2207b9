extension Asked {
  /// The same request with its line, spelled as peers do: now and then with members in another order, with spaces, or
  /// with a CR.
  package func spelled(using luck: inout Generator) -> Asked {
    if !line.isEmpty { return self }
    var asked = self
    if case .wrong(let line, _) = request {
      asked.line = line
      return asked
    }
    var members = members
    if luck.chance(20) { luck.shuffle(&members) }
    asked.line = Self.line(members, isSpacious: luck.chance(10))
    return asked
  }

  /// The same request with its line as it is usual.
  package var plain: Asked {
    var asked = self
    asked.line = Self.line(members, isSpacious: false)
    return asked
  }

  private static func line(_ members: Members, isSpacious: Bool) -> String {
    let pairs = members.map { isSpacious ? "\"\($0.0)\" : \t\($0.1)" : "\"\($0.0)\":\($0.1)" }
    return isSpacious ? "{ \(pairs.joined(separator: " , ")) } \r" : "{\(pairs.joined(separator: ","))}"
  }

  private var members: Members {
    var members = [("op", quoted(op))]
    if let id { members.append(("id", id)) }
    if !wantsReply { members.append(("reply", "false")) }
    switch request {
    case .send(let message): members += message.members
    case .insert(let wish):
      members += optional("chain", wish.chain) + [("handler", quoted(wish.handler))]
      members += (wish.place?.members ?? []) + wish.settings.members
    case .replace(let wish):
      members += optional("chain", wish.chain) + [("handler", quoted(wish.handler))]
      members += optional("as", wish.newName) + wish.settings.members
    case .remove(let chain, let handler): members += optional("chain", chain) + [("handler", quoted(handler))]
    case .removeEmpty(let chain): members += optional("chain", chain) + [("empty", "true")]
    case .mount(let wish):
      members += optional("chain", wish.chain) + [("on", quoted(wish.on))]
      members += (wish.accepts.map { [("accepts", list($0))] } ?? []) + optional("percent", wish.percent)
      members += json("when", wish.when) + optional("together", wish.together)
      members += wish.place?.members ?? []
    case .unmount(let chain, let on): members += optional("chain", chain) + [("on", quoted(on))]
    case .move(let wish):
      members += optional("chain", wish.chain) + [(wish.isMount ? "on" : "handler", quoted(wish.name))]
      members += wish.place.members
    case .verdict(let verdict): members += verdict.members
    case .subscribe(let patterns, let wish, let kept):
      members.append(("topics", list(patterns)))
      members += (wish?.members ?? []) + kept.members
    case .unsubscribe(let patterns): members += patterns.map { [("topics", list($0))] } ?? []
    case .broadcast(let message): members += message.members
    case .explain(let topic, let chain, let key, let payload, let meta, let page):
      members += [("topic", quoted(topic))] + optional("chain", chain) + optional("key", key) + page.members
      members += json("payload", payload) + json("meta", meta)
    case .inspect(let wish): members += wish.members
    case .walks(let wish): members += wish.members
    case .cancel(let id): members.append(("request", id))
    case .close(let connection): members.append(("connection", "\(connection)"))
    case .hello(let name, let heartbeat, let token):
      members += optional("name", name) + optional("heartbeat_ms", heartbeat) + optional("token", token)
    case .plain, .wrong: break
    }
    return members
  }

  package var op: String {
    switch request {
    case .send: "send"
    case .insert: "insert"
    case .replace: "replace"
    case .remove, .removeEmpty: "remove"
    case .mount: "mount"
    case .unmount: "unmount"
    case .move: "move"
    case .verdict(let verdict): verdict.kind.rawValue
    case .subscribe: "subscribe"
    case .unsubscribe: "unsubscribe"
    case .broadcast: "broadcast"
    case .explain: "explain"
    case .inspect: "inspect"
    case .walks: "walks"
    case .close: "close"
    case .cancel: "cancel"
    case .hello: "hello"
    case .plain(let op): op.rawValue
    case .wrong: "pong"
    }
  }
}

private typealias Members = [(String, String)]

extension PageWish {
  fileprivate var members: Members { optional("limit", limit) + optional("after", after) }
}

extension TraceWish {
  fileprivate var members: Members {
    let wanted =
      optional("chain", chain) + optional("topic", topic) + optional("status", status)
      + optional("slower_than_ms", slowerThanMilliseconds) + optional("from", from)
    let pairs = wanted.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
    return [("where", "{\(pairs)}")] + optional("per_second", perSecond)
  }
}

extension KeptWish {
  fileprivate var members: Members {
    optional("retained", retained) + optional("after", after) + optional("epoch", epoch)
  }
}

extension InspectWish {
  fileprivate var members: Members {
    let flags = [
      ("server", server), ("messages", messages), ("connections", connections), ("changes", changes),
      ("history", history),
    ]
    return optional("chain", chain) + flags.filter(\.1).map { ($0.0, "true") } + page.members
  }
}

extension WalksWish {
  fileprivate var members: Members {
    optional("chain", chain) + optional("status", status) + optional("topic", topic) + optional("walk", walk)
      + optional("handler", handler) + optional("key", key) + optional("since_ms", since)
      + optional("disagreed", disagreed) + PageWish(limit: limit, after: after).members
  }
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }
private func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ","))]" }
private func optional(_ member: String, _ text: String?) -> Members { text.map { [(member, quoted($0))] } ?? [] }
private func optional(_ member: String, _ number: Int?) -> Members { text(number).map { [(member, $0)] } ?? [] }
private func optional(_ member: String, _ flag: Bool?) -> Members { flag.map { [(member, "\($0)")] } ?? [] }
private func json(_ member: String, _ value: String?) -> Members { value.map { [(member, $0)] } ?? [] }
/// A CR between tokens is a space for the server, and for all who get the value from it (section 2).
private func spaced(_ member: String, _ value: String?) -> Members {
  json(member, value?.replacing("{ ", with: "{\r").replacing(": ", with: ":\r"))
}
private func text(_ number: Int?) -> String? { number.map(String.init) }

extension Send {
  fileprivate var members: Members {
    [("topic", quoted(topic))] + spaced("payload", payload) + spaced("meta", meta) + optional("chain", chain)
      + optional("mode", mode?.rawValue) + optional("timeout_ms", timeoutMilliseconds) + optional("key", key)
      + optional("trace", trace) + optional("within", within)
  }
}

extension Place {
  fileprivate var members: Members {
    switch self {
    case .front: [("at", quoted("front"))]
    case .back: [("at", quoted("back"))]
    case .before(let name): [("before", quoted(name))]
    case .after(let name): [("after", quoted(name))]
    case .rank(let number): [("rank", number)]
    }
  }
}

extension GivenSettings {
  fileprivate var members: Members {
    json("accepts", accepts.map(list)) + optional("timeout_ms", timeoutMilliseconds) + optional("window", window)
      + json("on_failure", onFailure?.json) + optional("share", share) + optional("hold_ms", holdMilliseconds)
      + optional("required", required) + optional("shadow", shadow) + optional("percent", percent)
      + json("when", when)
  }
}

extension Policy {
  fileprivate var json: String {
    switch self {
    case .continue: quoted("continue")
    case .stop: quoted("stop")
    case .perCause(let causes): "{\(named(causes).joined(separator: ","))}"
    }
  }

  private func named(_ causes: [Cause: Bool]) -> [String] {
    Cause.allCases.compactMap { cause in
      causes[cause].map { "\"\(cause.rawValue)\":\"\($0 ? "stop" : "continue")\"" }
    }
  }
}

extension Verdict {
  fileprivate var members: Members {
    spaced("payload", payload) + optional("message", message) + json("code", code)
  }
}

extension Broadcast {
  fileprivate var members: Members {
    [("topic", quoted(topic))] + spaced("payload", payload) + spaced("meta", meta) + optional("echo", echo)
      + optional("retain", retain)
      + optional("via", via) + optional("timeout_ms", timeoutMilliseconds) + optional("key", key)
      + optional("trace", trace) + optional("within", within)
  }
}
