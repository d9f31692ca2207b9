import ArgumentParser
import BatonClient

/// A verdict that is always the same.
struct AnswerOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Answer handled with this payload: JSON as it is, else text.", valueName: "payload"))
  var reply: String?

  @Flag(help: "Answer continue.")
  var `continue` = false

  @Option(help: ArgumentHelp("Answer reject with this message.", valueName: "message"))
  var reject: String?

  /// Whether nothing was said.
  var isEmpty: Bool { verdict == nil }

  /// What was said.
  var verdict: Verdict? {
    if let reply { return .handled(PayloadArgument.value(ofText: reply)) }
    if let reject { return .reject(reject) }
    return `continue` ? .continue : nil
  }

  func validate() throws {
    guard [reply != nil, reject != nil, `continue`].count(where: { $0 }) <= 1 else {
      throw ValidationError("say one of --reply, --continue and --reject")
    }
  }
}
