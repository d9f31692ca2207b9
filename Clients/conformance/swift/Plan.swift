import BatonClient

extension Baton {
  /// What a `plan` says.
  init(_ command: Command, calls: Calls) {
    self.init(at: command.text("at"))
    if let name = command.text("name") { self = named(name) }
    if let token = command.text("token") { self = self.token(token) }
    if let path = command.text("token_file") { self = tokenFile(path) }
    if command.flag("plain_token") { self = plainToken() }
    if let path = command.text("ca") { self = ca(path) }
    if let path = command.text("certificate") { self = certificate(path) }
    if let path = command.text("key") { self = key(path) }
    if !command.texts("pins").isEmpty { self = pins(command.texts("pins")) }
    if let interval = command.milliseconds("heartbeat_ms") { self = heartbeat(interval) }
    if let time = command.milliseconds("patience_ms") { self = patience(time) }
    if let bytes = command.integer("max_waiting_bytes") { self = maxWaitingBytes(bytes) }
    if let time = command.milliseconds("grace_ms") { self = grace(time) }
    if let time = command.milliseconds("again_ms") { self = timeToAsk(time) }
    if let time = command.milliseconds("attempt_ms") { self = attempt(time) }
    if command.flag("reports") {
      let tell: @Sendable (String) -> Void = { Report("told", Payload(text: $0)).tell() }
      self = reporting(tell).loggingErrors(tell)
    }
    if !command.flag("expose_errors", unless: true) { self = exposeErrors(false) }
    for handler in command.objects("handlers") {
      self = self.handler(Link(handler), beginning: calls.begin)
    }
    for (index, patterns) in command.lists("subscribers").enumerated() {
      let answers = command.text("answers")
      self = subscriber(patterns) { event in
        Report(index + 1, event).tell()
        if let answers { await calls.broadcast(answers) }
      }
    }
  }
}

extension Link {
  init(_ command: Command) {
    let accepts = command.texts("accepts")
    self.init(
      command.text("handler") ?? "", in: command.text("chain") ?? "main", accepts: accepts.isEmpty ? [">"] : accepts)
    place = Place(command)
    timeout = command.milliseconds("timeout_ms")
    window = command.integer("window")
    onFailure = FailurePolicy(command.payload("on_failure"))
    isShared = command.flag("share")
    hold = command.milliseconds("hold_ms")
    isRequired = command.flag("required")
    isShadow = command.flag("shadow")
    percent = command.integer("percent")
    when = command.payload("when")
    isGuard = command.flag("guard")
  }
}

extension Link.Place {
  /// The place that a command names; nil if it names none.
  init?(_ command: Command) {
    if let name = command.text("before") {
      self = .before(name)
    } else if let name = command.text("after") {
      self = .after(name)
    } else if let rank = command.payload("rank").flatMap({ try? $0.decode(Double.self) }) {
      self = .rank(rank)
    } else if let at = command.text("at") {
      self = at == "front" ? .front : .back
    } else {
      return nil
    }
  }
}

extension Link.FailurePolicy {
  init?(_ payload: Payload?) {
    guard let payload else { return nil }
    if let causes = try? payload.decode([String: String].self) {
      self = .perCause(causes.mapValues { $0 == "stop" })
    } else {
      self = payload.json == "\"stop\"" ? .stop : .continue
    }
  }
}
