import ArgumentParser
import BatonCore

/// How a handler's program is run.
struct RunningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How many programs may run at once; as many offers may be open. (default: one for each processor)",
      valueName: "count"), transform: SaidWords.whole)
  var jobs: Int?

  @Flag(help: "Keep one program, which reads and writes lines of JSON.")
  var persistent = false

  @Flag(help: "Give the program the text of a JSON string, and take its output as text.")
  var text = false

  /// Whether no option was given.
  var isEmpty: Bool { jobs == nil && !persistent && !text }

  func validate() throws {
    try SaidWords.check(jobs, "--jobs", isIn: MemberRange.window)
    if persistent, text { throw ValidationError("--text cannot be used with --persistent") }
  }
}
