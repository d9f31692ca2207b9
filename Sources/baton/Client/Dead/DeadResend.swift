import ArgumentParser
import BatonClient

/// `baton dead resend`: makes new messages of dead letters.
struct DeadResend: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resend",
    abstract: "Send dead letters again.",
    discussion: """
      Each becomes a new durable message, with tries of its own. Its handlers see that it is sent again. For a person \
      the new name is told; in a pipe each line has the old name, a tab and the new one.

      EXAMPLES:
        baton dead resend k3f9m2q8w1x7c5z4-1042
        baton dead resend k3f9m2q8w1x7c5z4-1042 --payload '{"order":17,"paid":true}'
        baton dead resend --all --chain orders --cause timeout
      """)

  @OptionGroup var choice: DeadChoice

  @Option(help: ArgumentHelp("Another payload, for one dead letter, written as in baton send.", valueName: "payload"))
  var payload: String?

  @OptionGroup(title: "Server") var server: ServerOptions

  func validate() throws {
    if payload != nil, choice.all || choice.names.count > 1 {
      throw ValidationError("--payload is for one dead letter; give its name")
    }
  }

  func run() async throws {
    let payload = try await PayloadArgument.value(payload, as: .either(.newPayload))
    try await server.withClient { client in
      try await choice.each(of: client, server, "Send again", "sent again") { name in
        var members = RequestMembers()
        members.add("stored", text: name)
        members.add("payload", payload)
        return try await client.begin("resend", members.all)
      } tell: { name, reply in
        let new = ServerLine(reply.bytes)?.text("stored") ?? ""
        switch server.form {
        case .json: try put(reply.bytes)
        case .people: try put("\(name) is sent again, as \(new)".displaySafe)
        case .program: try put(tabbed([name, new]))
        }
      }
    }
  }
}

/// `baton dead discard`: ends dead letters.
struct DeadDiscard: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard",
    abstract: "End dead letters. They are lost then.",
    discussion: """
      EXAMPLES:
        baton dead discard k3f9m2q8w1x7c5z4-1042
        baton dead discard --all --topic 'test.>' --yes
      """)

  @OptionGroup var choice: DeadChoice

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      try await choice.each(of: client, server, "Discard", "discarded") { name in
        try await client.begin("discard", [("stored", Payload(text: name))])
      } tell: { name, reply in
        switch server.form {
        case .json: try put(reply.bytes)
        case .people: try put("\(name) is discarded".displaySafe)
        case .program: try put(tabbed([name]))
        }
      }
    }
  }
}
