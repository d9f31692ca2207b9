import ArgumentParser
import BatonClient

/// `baton send`: sends a message down a chain, and tells what became of it.
struct Send: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a message down a chain and print the result.",
    discussion: """
      On a terminal the result is a line for people. In a pipe it is the payload that the handler gave; what there is \
      to say of a message that was not handled goes to standard error, and into the exit code.

      With --lines each line of standard input is a message of its own, up to 64 of them under way, or one where \
      there is a key. Each result is one line, in the order of the input: status, handler and payload, with tabs \
      between. The exit code is that of the first that was not handled.

      EXAMPLES:
        baton send door.open '{"door":3}'
        baton send door.open Ann --timeout 500ms --trace
        baton send picture.new @picture.json --chain moderation
        jq -c .[] posts.json | baton send post.new --lines --chain moderation
      """)

  @Argument(help: "What the message is about, as in door.open.")
  var topic: String

  @Argument(help: PayloadArgument.help, completion: .file())
  var payload: String?

  @Option(help: ArgumentHelp("The chain that it walks. (default: main)", valueName: "chain"))
  var chain: String?

  @Option(help: "Ask until the first handles it, ask all in order, or notify all at once and ask nobody.")
  var mode: Mode?

  @OptionGroup var message: MessageOptions

  @Flag(help: "Tell the way hop by hop.")
  var trace = false

  @Flag(help: "Send each line of standard input.")
  var lines = false

  @OptionGroup var server: ServerOptions

  /// How far a message goes.
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case first, all, notify
  }

  func validate() throws {
    if lines, payload != nil { throw ValidationError("with --lines the payloads come from standard input") }
    if lines, message.meta == "-" { throw ValidationError("with --lines standard input has the payloads") }
    if payload == "-", message.meta == "-" { throw ValidationError("only one of payload and meta can be -") }
  }

  func run() async throws {
    let members = try await members()
    try await server.withClient { client in
      if lines { return try await LineSender(members: members, isKeyed: message.key != nil, server.form).run(client) }
      let clock = ContinuousClock()
      let start = clock.now
      let outcome = try await Outcome(of: client.begin("send", members.all))
      try tell(outcome, after: clock.now - start)
      if case .ended(let result) = outcome, result.status == .unhandled, result.hops == 0, !server.json {
        await ChainHint(client: client).tell(whyNobodyTook: topic, in: chain ?? "main")
      }
      guard outcome.exitCode == .success else { throw outcome.exitCode }
    }
  }

  private func members() async throws -> RequestMembers {
    var members = RequestMembers()
    members.add("topic", text: topic)
    members.add("chain", text: chain)
    members.add("mode", text: mode?.rawValue)
    if trace { members.add("trace", try Payload(true)) }
    try await message.add(to: &members)
    members.add("payload", try await PayloadArgument.value(payload))
    return members
  }

  private func tell(_ outcome: Outcome, after time: Duration) throws {
    try outcome.tell(as: server.form, after: time)
    guard trace, case .ended(let result) = outcome else { return }
    switch server.form {
    case .json: return
    case .people:
      for line in try TraceTable(result).lines(within: Terminal.size.columns, paint: .output) { try put(line) }
    case .program:
      for line in try TraceTable(result).lines(within: .max, paint: .none) { talk(line) }
    }
  }
}

extension Outcome {
  /// Prints what became of one message.
  func tell(as form: OutputForm, after time: Duration) throws {
    switch form {
    case .json: if let line { try put(line.bytes) }
    case .people:
      try put(sentence(after: time, paint: .output))
      if case .ended(let result) = self {
        for answer in result.results { try put("  \(answer.by): \((answer.payload?.json ?? "").displaySafe)") }
      }
    case .program:
      for line in data { try put(line) }
      if exitCode != .success { talk("baton: \(sentence(after: time))") }
    }
  }
}
