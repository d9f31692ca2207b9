import ArgumentParser
import BatonClient

/// `baton ask`: a person is a handler.
struct Ask: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Decide about messages yourself, on the terminal.",
    discussion: """
      Each message that reaches your place in the chain is shown with its payload and the time that is left. a lets it go \
      on to the next link, r rejects it with a reason, e changes the payload in your editor, h takes it (nothing behind \
      runs), f says that you can't say; ? tells all keys. Nothing is sent before you press one of them, and none counts \
      before you have seen the whole payload, or within half a second after the screen has changed.

      Senders must allow the time that a person takes: baton send TOPIC --timeout 10m. A second before a message's time is \
      over, your link answers "failed" by itself, so that no circuit breaker opens. With --guard no message passes while you are \
      away: messages fail at your place then.

      Several people share a place with --share: each message is shown to one of them.

      EXAMPLES:
        baton ask 'post.>' --name human
        baton ask 'tool.>' --chain tools --name human --guard
      """)

  @Argument(
    help: ArgumentHelp(
      "Patterns of the topics to decide about: * stands for one word, > for all the rest.", valueName: "pattern"),
    completion: Completing.pattern, transform: SaidWords.pattern)
  var patterns: [String] = [">"]

  @Option(help: "The handler's name in the chain.", completion: Completing.handler, transform: SaidWords.name)
  var name = "human"

  @OptionGroup(title: "Link")
  var place: LinkOptions

  @OptionGroup(title: "Server")
  var server: ServerOptions

  /// How many messages are shown at once; others wait at the server.
  static let window = 10

  func validate() throws {
    if server.json { throw ValidationError("baton ask is for a person; a program uses baton handle --json") }
    if place.shadow { throw ValidationError("a shadow decides nothing; leave --shadow out, or use baton handle") }
  }

  func run() async throws {
    guard Terminal.isInput, Terminal.isOutput else {
      talk("baton: ask needs a terminal, for a person reads and decides; a program is a handler with baton handle")
      throw ExitCode.validationFailure
    }
    guard Terminal.canRedraw else {
      talk(
        "baton: ask draws its page anew, and this terminal may not know how: TERM is not set, or is dumb; set it to what "
          + "the terminal is, such as xterm")
      throw ExitCode.validationFailure
    }
    var link = place.link(name, accepts: patterns, window: Ask.window)
    // A day: so offers tell the time that is left of the message.
    if link.timeout == nil { link.timeout = .seconds(86_400) }
    try await server.telling {
      let isMine = try await AskView.run(link, by: server.baton(named: name))
      if !isMine {
        talk("baton: the place of \(name) in \(link.chain) was removed, or somebody else has taken it over")
        throw ExitCode.failure
      }
    }
  }
}
