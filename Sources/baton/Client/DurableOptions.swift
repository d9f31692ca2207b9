import ArgumentParser
import BatonClient

/// Whether a message is durable, and how.
struct DurableOptions: ParsableArguments {
  @Flag(help: "Let the server keep it on disk, and try it until it has an end, through any crash.")
  var durable = false

  @Flag(help: "With --durable: wait only until it is on disk, and print its name there.")
  var accepted = false

  @Option(
    help: ArgumentHelp(
      "With --durable: your own name for it. The same name again is the same message. (default: a random one)",
      valueName: "name"),
    transform: { text in
      guard (1...128).contains(text.utf8.count) else { throw ValidationError("it must have 1 to 128 bytes") }
      return text
    })
  var once: String?

  @Option(
    help: ArgumentHelp(
      "With --durable: how many attempts count before it is a dead letter. (default: the server's)", valueName: "number"
    ),
    transform: SaidWords.whole)
  var tries: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --durable: the time before the second attempt, up to 10m; twice as long each time. (default: the server's)",
      valueName: "time"),
    transform: SpokenTime.ofRetry)
  var retry: Duration?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --durable: the time after which no attempt begins, up to 7d. (default: the server's)", valueName: "time"),
    transform: SpokenTime.ofDurable)
  var expires: Duration?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("With --durable: the time before the first attempt.", valueName: "time"),
    transform: SpokenTime.ofDurable)
  var delay: Duration?

  func validate() throws {
    let refused = [
      ("--accepted", accepted), ("--once", once != nil), ("--tries", tries != nil), ("--retry", retry != nil),
      ("--expires", expires != nil), ("--delay", delay != nil),
    ]
    if !durable, let option = refused.first(where: \.1)?.0 {
      throw ValidationError("\(option) is for durable messages; add --durable, or leave it out")
    }
    if let tries, !(1...1000).contains(tries) { throw ValidationError("--tries must be a number from 1 to 1000") }
    if let delay, let expires, delay >= expires { throw ValidationError("--delay must be less than --expires") }
  }

  /// What the next message says of it; each one has a name of its own. nil: messages are not durable.
  var wish: (@Sendable () -> Durability)? {
    guard durable else { return nil }
    return { [once, tries, retry, expires, delay] in
      .durable(once: once, tries: tries, retry: retry, expires: expires, delay: delay)
    }
  }
}
