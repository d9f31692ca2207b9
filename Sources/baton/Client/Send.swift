import ArgumentParser
import BatonClient

/// `baton send`: sends a message down a chain, and prints its result.
struct Send: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a message down a chain and print the result.",
    discussion: """
      On a terminal the result is a line for people. In a pipe it is the payload that the handler gave. If the message \
      was not handled, standard error and the exit code say why, and which links were passed by.

      With --lines each line of standard input is one message. Up to 64 messages are under way at once; with a key, \
      one. Each result is one line, in the order of the input: status, handler and payload, with tabs between them. \
      The exit code is that of the first message that was not handled. --count and --interval print the same.

      What begins with {, [ or " and is not JSON is refused, with the place of the mistake; --text sends it as text. \
      In a loop that reads its own input, such as while read, give -n, or each message takes the rest of it.

      With --durable the server keeps the message on disk and tries it until it has an end, through any crash. The \
      command waits for that end, also through lost connections, and tells a person what the message waits for; with \
      --accepted it waits until the message is on disk, and prints its name there. If the server shuts down when the command begins, it waits for the next one, for 30 \
      seconds. --timeout is the time of one attempt then. If no attempt brought it to an end, it is a dead letter, and the exit \
      code is 13: see baton dead. The server needs a store, and the chain must be in its file.

      Ctrl-C cancels what is under way, and the exit code is 130. A second Ctrl-C ends the program at once. A durable \
      message that was accepted goes on, and Ctrl-C says under which name.

      EXAMPLES:
        baton send door.open '{"door":3}'
        baton send door.open Ann --timeout 500ms --trace
        baton send picture.new @picture.json --chain moderation
        date | baton send clock.tick
        baton send clock.tick -n --count 10 --interval 500ms
        jq -c .[] posts.json | baton send post.new --lines --chain moderation
        baton send order.paid @order.json --chain orders --durable --once order-17
      """)

  @Argument(help: "The topic, for example door.open.", completion: Completing.topic, transform: SaidWords.topic)
  var topic: String

  @OptionGroup var payload: PayloadOptions

  @Option(
    help: ArgumentHelp("The chain that it walks. (default: main)", valueName: "chain"), completion: Completing.chain,
    transform: SaidWords.name)
  var chain: String?

  @Option(help: "first: until a link handles it. all: ask every link. notify: tell every link, ask none.")
  var mode: Mode?

  @OptionGroup var message: MessageOptions

  @OptionGroup(title: "Durable messages") var durable: DurableOptions

  @Flag(help: "Show the walk hop by hop.")
  var trace = false

  @Flag(help: "Send each line of standard input as a message.")
  var lines = false

  @OptionGroup var repetition: RepeatOptions

  @OptionGroup var server: ServerOptions

  /// How far a message goes.
  enum Mode: String, ExpressibleByArgument, CaseIterable {
    case first, all, notify
  }

  func validate() throws {
    if lines, payload.payload != nil {
      throw ValidationError("with --lines standard input has the payloads; give none")
    }
    if lines, message.meta == "-" {
      throw ValidationError("with --lines standard input has the payloads; give another --meta")
    }
    if lines, payload.readsNothing { throw ValidationError("--lines reads standard input; leave out -n") }
    if lines, repetition.isOn { throw ValidationError("--lines cannot be used with --count and --interval") }
    if payload.payload == "-", message.meta == "-" {
      throw ValidationError("only one of payload and meta can be -")
    }
    if durable.once != nil, lines || repetition.isOn {
      throw ValidationError("--once names one message; leave it out with --lines, --count and --interval")
    }
    if mode == .notify {
      let refused = [
        ("--key", message.key != nil), ("--timeout", message.timeout != nil), ("--trace", trace),
        ("--durable", durable.durable),
      ]
      if let option = refused.first(where: \.1)?.0 {
        throw ValidationError("\(option) cannot be used with --mode notify, which has no answers; leave it out")
      }
    }
  }

  func run() async throws {
    let members = try await members()
    let kept = AcceptedMessages()
    try await server.withClient(lasting: durable.durable) { client in
      let interrupt = try await Interrupt(cancelling: client, but: kept)
      let sender = MessageSender(client, durable, kept)
      if lines {
        let isKeyed = message.key != nil
        return try await LineSender(
          sender, members: members, payload.kind(.line), topic: topic, isKeyed: isKeyed, server.form
        ).run(interrupt)
      }
      if repetition.isOn {
        return try await RepeatedMessage(
          sender: sender, members: members, topic: topic, options: repetition, form: server.form
        ).run(interrupt)
      }
      var members = members
      // Without it the result does not say which links were passed by.
      let wantsReasons = mode != .notify && !trace
      if wantsReasons, await client.maySee(chain ?? "main") { members.add("trace", try Payload(true)) }
      let clock = ContinuousClock()
      let start = clock.now
      let wait = DurableWait(client)
      let outcome = try await sender.begin(members) { try tell($0, wait) }.value
      wait.end()
      withExtendedLifetime(interrupt) {}
      try outcome.tell(as: server.form, after: clock.now - start, topic: topic, showsTrace: trace)
      if outcome.hasNoChain, !server.json {
        await ChainHint(client: client, server: server).tell(thatNobodyServes: chain)
      }
      guard outcome.exitCode == .success else { throw outcome.exitCode }
    }
  }

  /// The first of two lines for programs; for a person it is told only if the second one is long in coming.
  private func tell(_ message: AcceptedMessage, _ wait: DurableWait) throws {
    switch server.form {
    case .json: try put(message.line.bytes)
    case .people: wait.begin(message.stored)
    case .program: break
    }
  }

  private func members() async throws -> RequestMembers {
    var members = RequestMembers()
    members.add("topic", text: topic)
    members.add("chain", text: chain)
    members.add("mode", text: mode?.rawValue)
    if trace { members.add("trace", try Payload(true)) }
    try await message.add(to: &members, isNamed: durable.once != nil)
    members.add("payload", try await payload.value(isInputTaken: lines || message.meta == "-"))
    return members
  }
}
