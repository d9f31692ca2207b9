import ArgumentParser
import BatonClient

/// How long the lines about events are, and what is in them.
struct LineOptions: ParsableArguments {
  @Flag(help: "Do not shorten what is wider than the terminal.")
  var full = false

  @Option(
    help: ArgumentHelp(
      "What each line has, such as '{time} {topic} {payload.user}'; \\t is a tab. Time is local on a terminal.",
      valueName: "format"))
  var format: String?

  /// A line in that format, for a person or a program.
  func line(_ format: LineFormat, _ object: Payload) -> String {
    let line = format.line(object, isForPeople: Terminal.isOutput)
    return full || !Terminal.isOutput ? line : line.fitted(to: Terminal.size.columns)
  }

  /// The format; nil if none is given.
  func format(members: [String]) throws -> LineFormat? {
    do { return try format.map { try LineFormat($0, members: members) } } catch let error as ValidationError {
      throw ValidationError("--format: \(error.message)")
    }
  }
}
