import ArgumentParser
import BatonClient

/// A verdict that is always the same.
struct AnswerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Answer handled, with this payload: JSON as it is, any other text as a JSON string.", valueName: "payload"))
  var reply: String?

  @Flag(help: "Answer continue.")
  var `continue` = false

  @Option(help: ArgumentHelp("Answer reject with this message.", valueName: "message"))
  var reject: String?

  @Option(
    help: ArgumentHelp(
      "Say why, with --reply or --continue: it stands in traces and walks, and goes to nobody else.",
      valueName: "message"))
  var message: String?

  /// Whether none was given.
  var isEmpty: Bool { reply == nil && reject == nil && !`continue` }

  /// The given verdict. Throws if `--reply` only looks like JSON.
  func verdict() throws -> Verdict? {
    if let reply {
      return .handled(try PayloadArgument.value(ofText: reply, as: .either(.reply)), message: message)
    }
    if let reject { return .reject(reject) }
    guard `continue` else { return nil }
    return message.map { .continue(message: $0) } ?? .continue
  }

  func validate() throws {
    guard [reply != nil, reject != nil, `continue`].count(where: { $0 }) <= 1 else {
      throw ValidationError("give only one of --reply, --continue and --reject")
    }
    guard message == nil || reply != nil || `continue` else {
      throw ValidationError("--message says why with --reply or --continue; --reject has its own")
    }
    _ = try verdict()
  }
}
