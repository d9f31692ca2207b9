import ArgumentParser
import BatonClient

/// Options for a message beside its topic and payload.
struct MessageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Messages with the same key walk one at a time, in order.", valueName: "key"),
    transform: SaidWords.key)
  var key: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time for the whole walk: seconds, or 500ms, 5m. (default: the server's)", valueName: "time"),
    transform: SpokenTime.allowance)
  var timeout: Int?

  @Option(help: ArgumentHelp("Data for every handler beside the payload, written in the same way.", valueName: "meta"))
  var meta: String?

  /// Adds what was said.
  func add(to members: inout RequestMembers) async throws {
    members.add("key", text: key)
    try members.add("timeout_ms", number: timeout)
    members.add("meta", try await PayloadArgument.value(meta, as: .either(.meta)))
  }
}
