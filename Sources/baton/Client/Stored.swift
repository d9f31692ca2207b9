import ArgumentParser
import BatonClient

/// `baton stored`: where a durable message is.
struct Stored: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show where a durable message is.",
    discussion: """
      The name is what baton send --durable --accepted prints. A message that has ended is not there any more: the exit \
      code is then 1. In a pipe the output is one line: name, chain, state, tries, the status that the last try ended \
      with, the milliseconds until the next one, and uncounted if the last try does not count, or undeclared if it waits for its chain, with tabs between them.

      EXAMPLES:
        baton stored k3f9m2q8w1x7c5z4-1042
      """)

  @Argument(help: "Its name on the server.", completion: Completing.deadLetter)
  var name: String

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      do {
        let message = try await client.stored(name)
        switch server.form {
        case .json: try put(message.line.bytes)
        case .people: try put(message.words.displaySafe)
        case .program: try put(message.fields)
        }
      } catch let error as BatonError where error.code == "no_such_message" {
        let words = "there is no stored message \(name): it has ended, it was never there, or you may not know of it"
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
      case .delayed: "its first try comes" + (next.map { " in" + $0 } ?? " later")
      case .waiting: next.map { "its next try comes in" + $0 } ?? "it waits for its next try"
      case .underWay: "a try is under way"
      case .ending: "it has ended, and the server writes that down"
      case .dead: "it is a dead letter; baton dead show \(stored.shellWord) tells more"
      default: state.rawValue
      }
    if isUndeclared {
      return "\(stored) in \(chain): it waits until the server's file declares its chain again (see baton doctor)"
    }
    if isUncounted {
      return "\(stored) in \(chain): \(now); the last one did not count: no handler had it, or a link on its way is "
        + "absent or left alone (see baton doctor)"
    }
    let last = cause.map { ", the last: \($0)" } ?? ""
    let past = tries == 0 ? "" : " (\(counted(tries, "try has", "tries have")) counted\(last))"
    return "\(stored) in \(chain): \(now)\(past)"
  }

  fileprivate var fields: String {
    tabbed([
      stored, chain, state.rawValue, "\(tries)", cause ?? "", nextTry.map { "\($0.milliseconds)" } ?? "",
      isUndeclared ? "undeclared" : isUncounted ? "uncounted" : "",
    ])
  }
}
