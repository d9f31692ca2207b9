import ArgumentParser
import BatonClient
import BatonConfig

/// `baton config init`: prints a file to begin with.
struct ConfigInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Print a file with every key, its default and its reason.",
    discussion: """
      All but one line of the file are comments: it changes nothing until you take a # away. That line, open: local, says \
      that everybody on this machine may do everything. With --json one object has the text.

      EXAMPLES:
        baton config init > baton.yaml
      """)

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    if json { return try put(json: "{\"text\":\(Payload(text: ConfigurationTemplate.text).json)}") }
    // `put` ends the last line.
    try put(String(ConfigurationTemplate.text.dropLast()))
  }
}
