import BatonClient

/// What is asked of durable messages.
extension Shim {
  func askOfStore(_ command: Command, _ client: Client) async throws {
    let label = command.label
    let name = command.text("stored") ?? ""
    switch command.name {
    case "send_durable":
      let message = try await client.sendDurable(
        command.text("topic") ?? "", command.payload("payload"), meta: command.payload("meta"),
        chain: command.text("chain") ?? "main", mode: command.text("mode").flatMap(Client.Mode.init) ?? .first,
        key: command.text("key"), timeout: command.milliseconds("timeout_ms"), trace: command.flag("trace"),
        durable: Durability(said: command))
      if let label { accepted[label] = message }
      var report = Report("accepted", label)
      report.add("stored", message.stored)
      report.add("once", message.once)
      report.add("known", message.isKnown)
      report.tell()
    case "await_result":
      guard let message = command.payload("of").flatMap({ accepted[$0] }) else { fatalError("nothing was accepted") }
      Report(label, try await message.result()).tell()
    case "stored":
      let message =
        if let once = command.text("once") { try await client.stored(once: once) } else {
          try await client.stored(name)
        }
      var report = Report("done", label)
      report.add("stored", message.stored)
      report.add("chain", message.chain)
      report.add("state", message.state.rawValue)
      report.add("tries", message.tries)
      report.add("cause", message.cause)
      if message.isUncounted { report.add("uncounted", true) }
      if message.isUndeclared { report.add("undeclared", true) }
      report.add("next_try_ms", message.nextTry.map { Int(($0 / .milliseconds(1)).rounded()) })
      report.tell()
    case "dead":
      let letters = client.deadLetters(
        of: command.text("chain") ?? "main", after: command.text("after"), limit: command.integer("limit"))
      for try await letter in letters { Report(label, letter).tell() }
      Report("done", label).tell()
    case "dead_letter": Report(label, try await client.deadLetter(name)).tell()
    case "resend":
      let new = try await client.resend(name, payload: command.payload("payload"))
      var report = Report("done", label)
      report.add("stored", new)
      report.tell()
    default:
      try await client.discard(name)
      Report("done", label).tell()
    }
  }
}

extension Durability {
  /// What a message says of it. Throws where it says more of an ordinary one, which no program in Swift can.
  init(_ command: Command) throws {
    if command.flag("durable") {
      self.init(said: command)
      return
    }
    self = false
    guard command.payload("once") != nil || command.payload("tries") != nil else { return }
    throw BatonError.refused(code: "bad_value", message: "only durable messages have once and tries")
  }

  init(said command: Command) {
    self = .durable(
      once: command.text("once"), tries: command.integer("tries"), retry: command.milliseconds("retry_ms"),
      expires: command.milliseconds("expires_ms"), delay: command.milliseconds("delay_ms"))
  }
}

extension Report {
  /// A dead letter.
  fileprivate init(_ label: Payload?, _ letter: DeadLetter) {
    self.init("letter", label)
    add("stored", letter.stored)
    add("topic", letter.topic)
    add("chain", letter.chain)
    add("key", letter.key)
    add("tries", letter.tries)
    add("ago_ms", Int((letter.age / .milliseconds(1)).rounded()))
    add("status", letter.result?.status.rawValue)
    add("cause", letter.result?.cause)
    add("message", letter.result?.message)
    add("payload", letter.payload)
    add("meta", letter.meta)
  }
}
