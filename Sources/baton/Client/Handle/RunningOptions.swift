import ArgumentParser

/// How a handler's program is run.
struct RunningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Programs that may run at once, and so offers that may be open. (default: one for each processor)",
      valueName: "count"))
  var jobs: Int?

  @Flag(help: "Keep one program, and talk JSON lines with it.")
  var persistent = false

  @Flag(help: "Give a JSON string as the text that it spells, and take what is written as text.")
  var text = false

  /// Whether nothing was said.
  var isEmpty: Bool { jobs == nil && !persistent && !text }

  func validate() throws {
    if let jobs, !(1...65_536).contains(jobs) { throw ValidationError("--jobs is a number from 1 to 65536") }
    if persistent, text { throw ValidationError("--text is not for a program that talks JSON lines (--persistent)") }
  }
}
