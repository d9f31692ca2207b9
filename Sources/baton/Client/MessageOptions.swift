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

  /// The trace of the program that runs this command, as `meta` says it; nil where it is in none. Under the same name the server
  /// takes no other meta, so a message that is named says it only where somebody writes it.
  private static var traced: Payload? {
    get throws {
      guard let said = try Executable.environment().first(where: { $0.name == "TRACEPARENT" })?.value else {
        return nil
      }
      return try SpanContext.text(said).map { try Payload(["traceparent": $0]) }
    }
  }

  /// Adds what was said. `isNamed`: the message has a name of its sender's own (`once`).
  func add(to members: inout RequestMembers, isNamed: Bool = false) async throws {
    members.add("key", text: key)
    try members.add("timeout_ms", number: timeout)
    if let within = try Self.within { members.add("within", try Payload(within)) }
    let said = try await PayloadArgument.value(meta, as: .either(.meta))
    members.add("meta", try said ?? (isNamed ? nil : Self.traced))
  }
}
