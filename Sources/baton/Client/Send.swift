import ArgumentParser
import BatonClient

/// `baton send`: sends a message down a chain, and prints its result.
struct Send: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a message down a chain and print the result.",
    discussion: """
      On a terminal the result is a line for people. In a pipe it is the payload that the handler gave. If the message \
      was not handled, standard error and the exit code say why.

      With --lines each line of standard input is one message. Up to 64 messages are under way at once; with a key, \
      one. Each result is one line, in the order of the input: status, handler and payload, with tabs between them. \
      The exit code is that of the first message that was not handled.

      EXAMPLES:
        baton send door.open '{"door":3}'
        baton send door.open Ann --timeout 500ms --trace
        baton send picture.new @picture.json --chain moderation
        jq -c .[] posts.json | baton send post.new --lines --chain moderation
      """)

  @Argument(help: "The topic, for example door.open.")
  var topic: String

  @Argument(help: PayloadArgument.help, completion: .file())
  var payload: String?

  @Option(help: ArgumentHelp("The chain that it walks. (default: main)", valueName: "chain"))
  var chain: String?

  @Option(help: "first: until a link handles it. all: ask every link. notify: tell every link, ask none.")
  var mode: Mode?

  @OptionGroup var message: MessageOptions

  @Flag(help: "Show the walk hop by hop.")
  var trace = false

  @Flag(help: "Send each line of standard input as a message.")
  var lines = false

  @OptionGroup var server: ServerOptions

  /// How far a message goes.
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case first, all, notify
  }

  func validate() throws {
    if lines, payload != nil { throw ValidationError("with --lines standard input has the payloads; give none") }
    if lines, message.meta == "-" {
      throw ValidationError("with --lines standard input has the payloads; give another --meta")
    }
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
  /// Prints how one message ended.
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
