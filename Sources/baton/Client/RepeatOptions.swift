import ArgumentParser

/// How often a message is sent.
struct RepeatOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Send the message so many times, one after the other. Each result is one line: status, handler, payload.",
      valueName: "number"), transform: SaidWords.whole)
  var count: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Send it again each time that this is over: 500ms, 5, 2m. Without --count it goes on until Ctrl-C.",
      valueName: "time"),
    transform: { .milliseconds(try SpokenTime.allowance($0)) })
  var interval: Duration?

  /// Whether there is more than one message, or might be.
  var isOn: Bool { count != nil || interval != nil }

  func validate() throws {
    if let count, !(1...1_000_000_000).contains(count) {
      throw ValidationError("--count must be a number from 1 to 1000000000")
    }
  }
}
