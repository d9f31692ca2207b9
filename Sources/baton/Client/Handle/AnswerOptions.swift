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

  /// Whether none was given.
  var isEmpty: Bool { reply == nil && reject == nil && !`continue` }

  /// The given verdict. Throws if `--reply` only looks like JSON.
  func verdict() throws -> Verdict? {
    if let reply { return .handled(try PayloadArgument.value(ofText: reply, as: .either(.reply))) }
    if let reject { return .reject(reject) }
    return `continue` ? .continue : nil
  }

  func validate() throws {
    guard [reply != nil, reject != nil, `continue`].count(where: { $0 }) <= 1 else {
      throw ValidationError("give only one of --reply, --continue and --reject")
    }
    _ = try verdict()
  }
}
