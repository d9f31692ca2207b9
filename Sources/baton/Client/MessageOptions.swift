import ArgumentParser
import BatonClient
import BatonCore
import UV

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

  /// How many messages led to this one, as `baton handle` told the program that runs this command; nil where none did.
  private static var within: Int? {
    get throws {
      guard let said = try Executable.environment().first(where: { $0.name == "BATON_WITHIN" })?.value else {
        return nil
      }
      if let number = Int64(said), MemberRange.within.contains(number) { return Int(number) }
      throw ValidationError(
        "BATON_WITHIN is \"\(said)\", and must be a whole number from \(MemberRange.within.lowerBound) to "
          + "\(MemberRange.within.upperBound); baton handle sets it")
    }
  }

  /// Adds what was said.
  func add(to members: inout RequestMembers) async throws {
    members.add("key", text: key)
    try members.add("timeout_ms", number: timeout)
    if let within = try Self.within { members.add("within", try Payload(within)) }
    members.add("meta", try await PayloadArgument.value(meta, as: .either(.meta)))
  }
}
