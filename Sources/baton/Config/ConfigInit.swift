import ArgumentParser
import BatonConfig

/// `baton config init`: prints a file to begin with.
struct ConfigInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Print a file with every key, its default and its reason.",
    discussion: """
      Everything in the file is a comment: it changes nothing until you take a # away.

      EXAMPLES:
        baton config init > baton.yaml
      """)

  func run() throws {
    // `put` ends the last line.
    try put(String(ConfigurationTemplate.text.dropLast()))
  }
}
