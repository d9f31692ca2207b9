import ArgumentParser
import BatonClient
import BatonConfig

/// `baton config init`: prints a file to begin with.
struct ConfigInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Print a file with every key, its default and its reason.",
    discussion: """
      Everything in the file is a comment: it changes nothing until you take a # away. With --json one object has the \
      text.

      EXAMPLES:
        baton config init > baton.yaml
      """)

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    if json { return try put("{\"text\":\(Payload(text: ConfigurationTemplate.text).json)}") }
    // `put` ends the last line.
    try put(String(ConfigurationTemplate.text.dropLast()))
  }
}
