import ArgumentParser
import BatonClient

/// `baton broadcast`: sends an event to all subscribers, and prints how many they are.
struct Broadcast: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send an event to all subscribers, and print how many they are.",
    discussion: """
      With --via the broadcast walks a chain first. It is published if no link there handles or rejects it. Until then \
      Ctrl-C cancels it, and the exit code is 130. A second Ctrl-C ends the program at once.

      EXAMPLES:
        baton broadcast door.opened 3
        baton broadcast chat.kitchen "Soup is ready" --via moderation
        uptime | baton broadcast host.load
        baton broadcast light.kitchen on --retain      the value of its topic, for later subscribers
        baton broadcast light.kitchen -n --retain      takes the value away
      """)

  @Argument(help: "The topic, for example door.opened.", completion: Completing.topic, transform: SaidWords.topic)
  var topic: String

  @OptionGroup var payload: PayloadOptions

  @Option(
    help: ArgumentHelp("The chain that it walks first.", valueName: "chain"), completion: Completing.chain,
    transform: SaidWords.name)
  var via: String?

  @OptionGroup var message: MessageOptions

  @Flag(help: "Do not send the event to this connection.")
  var noEcho = false

  @Flag(help: "Keep the payload as the value of its topic; without a payload the value is taken away.")
  var retain = false

  @OptionGroup var repetition: RepeatOptions

  @OptionGroup var server: ServerOptions

  func validate() throws {
    if payload.payload == "-", message.meta == "-" {
      throw ValidationError("only one of payload and meta can be -")
    }
    guard via == nil else { return }
    let refused = [("--key", message.key != nil), ("--timeout", message.timeout != nil)]
    if let option = refused.first(where: \.1)?.0 {
      throw ValidationError("\(option) is for a broadcast that walks a chain first; add --via, or leave it out")
    }
  }

  func run() async throws {
    var members = RequestMembers()
    members.add("topic", text: topic)
    members.add("via", text: via)
    if retain { members.add("retain", try Payload(true)) }
    if noEcho { members.add("echo", try Payload(false)) }
    try await message.add(to: &members)
    members.add("payload", try await payload.value(isInputTaken: message.meta == "-"))
    let request = members
    try await server.withClient { client in
      var members = request
      // Without it the result does not say which links were passed by.
      if let via, await client.maySee(via) { members.add("trace", try Payload(true)) }
      let interrupt = try await Interrupt(cancelling: client)
      if repetition.isOn {
        return try await RepeatedMessage(
          sender: MessageSender(client, op: "broadcast"), members: request, topic: topic,
          options: repetition, form: server.form
        ).run(interrupt)
      }
      let clock = ContinuousClock()
      let start = clock.now
      let outcome = try await Outcome(of: client.begin("broadcast", members.all))
      withExtendedLifetime(interrupt) {}
      try outcome.tell(as: server.form, after: clock.now - start, topic: topic)
      guard outcome.exitCode == .success else { throw outcome.exitCode }
    }
  }
}
