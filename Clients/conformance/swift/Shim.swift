import BatonClient

/// Carries out commands in the order in which they come; none waits for the outcome of another.
actor Shim {
  private var plan = Baton()
  private var client: Client?
  private var subscriptions: [Payload: Task<Void, Never>] = [:]
  private let calls = Calls()
  /// What can be called off, by the names of the calls, and the links that were added, by theirs.
  private var attempts: [Payload: Task<Void, Never>] = [:]
  private var links: [Payload: ServedLink] = [:]
  /// What `send_durable` has given.
  var accepted: [Payload: AcceptedMessage] = [:]

  func carryOut(_ command: Command) {
    let label = command.label
    switch command.name {
    case "plan":
      calls.carriesOut { await self.carryOut($0) }
      plan = Baton(command, calls: calls)
    case "connect": connect()
    case "run": run()
    case "verdict", "throw", "working", "inside": calls.told(command)
    case "send", "notify", "broadcast", "request", "pages", "send_unencodable", "add", "remove", "update", "move",
      "send_durable", "await_result", "stored", "dead", "dead_letter", "resend", "discard":
      let task = Task { await attempt(command) }
      if let label { attempts[label] = task }
    case "cancel": if let label { attempts[label]?.cancel() }
    case "subscribe":
      subscribe(command) {
        try await $0.subscribe(
          command.texts("topics"), retained: command.flag("retained"), recover: command.flag("recover", unless: true),
          after: command.integer("after"), epoch: command.text("epoch"))
      }
    case "traces":
      subscribe(command) {
        try await $0.traces(
          chain: command.text("chain"), topic: command.text("topic"),
          status: command.text("status").flatMap(SendResult.Status.init),
          slowerThan: command.milliseconds("slower_than_ms"), from: command.text("from"),
          perSecond: command.integer("per_second"))
      }
    case "unsubscribe":
      if let label { subscriptions.removeValue(forKey: label)?.cancel() }
      Report("done", label).tell()
    case "drain":
      Task {
        await client?.drain()
        Report("drained", is: true).tell()
      }
    case "close":
      Task {
        await client?.close()
        Report("closed", is: true).tell()
      }
    default: fatalError("there is no command \(command.name)")
    }
  }

  private func connect() {
    Task {
      do {
        let client = try await plan.connect()
        self.client = client
        var report = Report("connected", is: true)
        report.add("identity", await client.identity)
        report.add("may", try await client.may.map { try Payload($0) })
        report.tell()
      } catch {
        var report = Report("connect_failed", Payload(text: (error as? BatonError)?.code ?? "unknown"))
        report.add("message", "\(error)")
        report.tell()
      }
    }
  }

  private func run() {
    Task {
      do {
        try await plan.run()
        Report("ended", is: true).tell()
      } catch {
        var report = Report("ended", is: false)
        report.add(error)
        report.tell()
      }
    }
  }

  /// Asks for something, and reports where that fails.
  private func attempt(_ command: Command) async {
    guard let client else { fatalError("not connected") }
    do { try await ask(command, client) } catch {
      var report = Report("failed", command.label)
      report.add(error)
      report.tell()
    }
  }

  private func ask(_ command: Command, _ client: Client) async throws {
    let label = command.label
    let topic = command.text("topic") ?? ""
    let (payload, meta) = (command.payload("payload"), command.payload("meta"))
    let chain = command.text("chain") ?? "main"
    switch command.name {
    case "send":
      let mode = command.text("mode").flatMap(Client.Mode.init) ?? .first
      let result = try await client.send(
        topic, payload, meta: meta, chain: chain, mode: mode, key: command.text("key"),
        timeout: command.milliseconds("timeout_ms"), trace: command.flag("trace"), durable: try Durability(command))
      Report(label, result).tell()
    case "send_unencodable": _ = try await client.send(topic, Double.nan)
    case "notify": done(label, try await client.notify(topic, payload, meta: meta, chain: chain))
    case "broadcast":
      let echo = command.flag("echo", unless: true)
      let retain = command.flag("retain")
      guard let via = command.text("via") else {
        return done(label, try await client.broadcast(topic, payload, meta: meta, echo: echo, retain: retain))
      }
      let result = try await client.broadcast(
        topic, payload, meta: meta, echo: echo, retain: retain, via: via, key: command.text("key"),
        timeout: command.milliseconds("timeout_ms"), trace: command.flag("trace"))
      Report(label, result).tell()
    case "add":
      let described = command.object("handler").map { Link($0) } ?? Link("")
      let link = try await client.add(described, beginning: calls.begin)
      if let label { links[label] = link }
      var report = Report("added", label)
      report.add("chain", link.chain)
      report.add("handler", link.handler)
      report.add("rank", await link.rank)
      report.tell()
    case "remove":
      try await link(command, client).remove()
      Report("done", label).tell()
    case "update":
      let accepts = command.payload("accepts") == nil ? nil : command.texts("accepts")
      try await link(command, client).update(
        accepts: accepts, timeout: command.milliseconds("timeout_ms"), window: command.integer("window"),
        onFailure: Link.FailurePolicy(command.payload("on_failure")), isShared: command.given("share"),
        hold: command.milliseconds("hold_ms"), isRequired: command.given("required"), isShadow: command.given("shadow"),
        percent: command.integer("percent"), when: command.payload("when"))
      Report("done", label).tell()
    case "move":
      let link = try await link(command, client)
      try await link.move(to: Link.Place(command) ?? .back)
      var report = Report("done", label)
      report.add("rank", await link.rank)
      report.tell()
    case "pages":
      for try await page in client.pages(command.text("op") ?? "", command.members(of: "members")) {
        var report = Report("page", label)
        report.add("line", page)
        report.tell()
      }
      Report("done", label).tell()
    case "send_durable", "await_result", "stored", "dead", "dead_letter", "resend", "discard":
      try await askOfStore(command, client)
    default:
      var report = Report("reply", label)
      report.add("line", try await client.request(command.text("op") ?? "", command.members(of: "members")))
      report.tell()
    }
  }

  /// The link that the command names: by the name of its `add`, or by its handler's.
  private func link(_ command: Command, _ client: Client) async throws -> ServedLink {
    if let label = command.payload("link"), let link = links[label] { return link }
    let name = command.text("link")
    guard let link = await client.links.first(where: { $0.handler == name }) else {
      fatalError("there is no such link")
    }
    return link
  }

  private func done(_ label: Payload?, _ delivered: Int) {
    var report = Report("done", label)
    report.add("delivered", delivered)
    report.tell()
  }

  private func subscribe(
    _ command: Command, _ begin: @escaping @Sendable (Client) async throws -> AsyncStream<Event>
  ) {
    guard let client, let label = command.label else { fatalError("not connected, or no name") }
    subscriptions[label] = Task {
      do {
        let events = try await begin(client)
        Report("done", label).tell()
        for await event in events { Report(label, event).tell() }
      } catch {
        var report = Report("failed", label)
        report.add(error)
        report.tell()
      }
    }
  }
}

extension Report {
  /// What a subscriber got.
  init(_ label: Payload, _ event: Event) {
    self.init("event", label)
    add(event)
  }

  /// What a subscriber of the plan got.
  init(_ number: Int, _ event: Event) {
    self.init("event", number)
    add(event)
  }

  private mutating func add(_ event: Event) {
    add("topic", event.topic)
    add("payload", event.payload)
    add("meta", event.meta)
    add("from", event.from)
    add("within", event.within > 0 ? event.within : nil)
    add("traceparent", event.traceparent)
    add("missed", event.missed > 0 ? event.missed : nil)
    add("seq", event.seq)
    if event.isRetained { add("retained", true) }
    if let gone = event.gone {
      add("gone", gone.count.map(String.init) ?? gone.atMost.map { "at most \($0)" } ?? "unknown")
    }
    add("left_out", event.leftOut > 0 ? event.leftOut : nil)
  }
}
