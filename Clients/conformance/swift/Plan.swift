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
    if !command.flag("expose_errors", unless: true) { self = exposeErrors(false) }
    for handler in command.objects("handlers") {
      self = self.handler(Link(handler), beginning: calls.begin)
    }
    for (index, patterns) in command.lists("subscribers").enumerated() {
      self = subscriber(patterns) { event in Report(index + 1, event).tell() }
    }
  }
}

extension Link {
  fileprivate init(_ command: Command) {
    let accepts = command.texts("accepts")
    self.init(
      command.text("handler") ?? "", in: command.text("chain") ?? "main", accepts: accepts.isEmpty ? [">"] : accepts)
    switch command.text("at") {
    case "front": place = .front
    case "back": place = .back
    default: place = nil
    }
    if let name = command.text("before") { place = .before(name) }
    if let name = command.text("after") { place = .after(name) }
    if let rank = command.payload("rank") { place = (try? rank.decode(Double.self)).map { .rank($0) } }
    timeout = command.milliseconds("timeout_ms")
    window = command.integer("window")
    onFailure = FailurePolicy(command.payload("on_failure"))
    isShared = command.flag("share")
    hold = command.milliseconds("hold_ms")
    isRequired = command.flag("required")
    isShadow = command.flag("shadow")
  }
}

extension Link.FailurePolicy {
  fileprivate init?(_ payload: Payload?) {
    guard let payload else { return nil }
    if let causes = try? payload.decode([String: String].self) {
      self = .perCause(causes.mapValues { $0 == "stop" })
    } else {
      self = payload.json == "\"stop\"" ? .stop : .continue
    }
  }
}
