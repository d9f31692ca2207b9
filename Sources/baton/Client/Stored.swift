import ArgumentParser
import BatonClient

/// `baton stored`: where durable messages are that have no end yet.
struct Stored: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what waits of durable messages, or where one of them is.",
    discussion: """
      Without a name, the messages that have no end yet are listed, the oldest first. Dead letters are not among them: \
      see baton dead. In a pipe there is a header, and tabs between the fields. With --json the output are the server's \
      lines, in no order that means anything.

      With a name, one message is shown. The name is what baton send --durable --accepted prints; --once is the name that \
      the message was sent with, by the same identity. A message that has ended is not there any more: the exit \
      code is then 1. In a pipe the output is one line: name, chain, state, tries, the status that the last attempt ended \
      with, the milliseconds until the next one, and uncounted if the last attempt does not count, or undeclared if it waits \
      for its chain, with tabs between them.

      EXAMPLES:
        baton stored
        baton stored --chain orders
        baton stored k3f9m2q8w1x7c5z4-1042
        baton stored --once order-17
      """)

  @Argument(help: "The name of one message on the server.", completion: Completing.stored)
  var name: String?

  @Option(help: ArgumentHelp("The name of one message that the sender gave it.", valueName: "name"))
  var once: String?

  @Option(
    help: ArgumentHelp("Only messages of this chain. (default: all chains)", valueName: "chain"),
    completion: Completing.chain, transform: SaidWords.name)
  var chain: String?

  @Option(
    help: ArgumentHelp("The most messages that are listed. (default: 100)", valueName: "count"),
    transform: SaidWords.whole)
  var limit: Int?

  @OptionGroup(title: "Server") var server: ServerOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be a number from 1") }
    let asked = [name != nil, once != nil, chain != nil || limit != nil].count { $0 }
    if asked > 1 { throw ValidationError("give one of these: a name, --once, or --chain and --limit") }
  }

  func run() async throws {
    try await server.withClient { client in
      guard name != nil || once != nil else {
        return try await StoredList(most: limit ?? 100, form: server.form).run(client, chain)
      }
      do {
        let message =
          if let once { try await client.stored(once: once) } else { try await client.stored(name ?? "") }
        switch server.form {
        case .json: try put(message.line.bytes)
        case .people: try put(message.words.displaySafe)
        case .program: try put(message.fields)
        }
      } catch let error as BatonError where error.code == "no_such_message" {
        let which = once.map { "that this identity sent with --once \($0.displaySafe)" } ?? name ?? ""
        let words = "there is no stored message \(which): it has ended, it was never there, or you may not know of it"
        try server.complain(error.code, server.json ? words : words + " (no_such_message)")
        throw ExitCode.failure
      }
    }
  }
}

extension StoredMessage {
  var words: String {
    let next = nextTry.map { " \(Figures.milliseconds($0.milliseconds))" }
    let now =
      switch state {
      case .delayed: "its first attempt comes" + (next.map { " in" + $0 } ?? " later")
      case .waiting: next.map { "its next attempt comes in" + $0 } ?? "it waits for its next attempt"
      case .underWay: "an attempt is under way"
      case .ending: "it has ended, and the server writes that down"
      case .dead: "it is a dead letter; baton dead show \(stored.shellWord) tells more"
      default: state.rawValue
      }
    if isUndeclared {
      return "\(stored) in \(chain): it waits until the configuration file declares its chain again (see baton doctor)"
    }
    if isUncounted {
      return "\(stored) in \(chain): \(now); the last one did not count: no handler had it, or a link on its way is "
        + "absent or left alone (see baton doctor)"
    }
    let last = cause.map { ", the last: \($0)" } ?? ""
    let past = tries == 0 ? "" : " (\(counted(tries, "attempt has", "attempts have")) counted\(last))"
    return "\(stored) in \(chain): \(now)\(past)"
  }

  fileprivate var fields: String {
    tabbed([
      stored, chain, state.rawValue, "\(tries)", cause ?? "", nextTry.map { "\($0.milliseconds)" } ?? "",
      isUndeclared ? "undeclared" : isUncounted ? "uncounted" : "",
    ])
  }
}
