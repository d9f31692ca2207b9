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
  var isEmpty: Bool { verdict == nil }

  /// The given verdict.
  var verdict: Verdict? {
    if let reply { return .handled(PayloadArgument.value(ofText: reply)) }
    if let reject { return .reject(reject) }
    return `continue` ? .continue : nil
  }

  func validate() throws {
    guard [reply != nil, reject != nil, `continue`].count(where: { $0 }) <= 1 else {
      throw ValidationError("give only one of --reply, --continue and --reject")
    }
  }
}
