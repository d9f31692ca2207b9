import ArgumentParser
import BatonClient
import BatonConfig

/// `baton config check`: says all that is wrong with a file.
struct ConfigCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say all that is wrong with the server's file.",
    discussion: """
      Each mistake is a line: FILE:LINE:COLUMN, and what is wrong and how to mend it. Warnings are about what is allowed \
      and probably not meant. The exit code is 0 without mistakes, and 1 otherwise. With --json one object has all.

      EXAMPLES:
        baton config check baton.yaml
        baton config check baton.yaml --json | jq -r '.errors[].message'
      """)

  @Argument(help: ArgumentHelp("The server's file. (default: --config, or BATON_CONFIG)"))
  var file: String?

  @OptionGroup var options: ConfigOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let path = try options.requiredPath(argument: file)
    var (warnings, mistakes): ([ConfigMistake], ConfigMistakes?) = ([], nil)
    do throws(ConfigMistakes) {
      warnings = try checked(path).warnings
    } catch {
      mistakes = error
    }
    if json {
      let untold = mistakes.map { $0.untold > 0 ? ",\"untold\":\($0.untold)" : "" } ?? ""
      let errors = ConfigCheck.list(mistakes?.all ?? [])
      try put("{\"errors\":[\(errors)]\(untold),\"warnings\":[\(ConfigCheck.list(warnings))]}")
    } else {
      for warning in warnings { try put("\(warning.origin): warning: \(warning.message)".displaySafe) }
      for line in mistakes?.lines ?? ["ok"] { try put(line.displaySafe) }
    }
    if mistakes != nil { throw ExitCode.failure }
  }

  /// The file alone, as a server without options would use it. Whether its environment will have a token is not known, so
  /// a file that listens to other machines and says nothing of them is only warned of.
  private func checked(_ path: String) throws(ConfigMistakes) -> (warnings: [ConfigMistake], Configuration) {
    let file = try ConfigurationFile.read(at: path)
    var flags = Configuration.Flags()
    flags.isOpen = file.peers == nil
    let configuration = try Configuration(file: file, flags: flags)
    let outside = configuration.listen.first { file.peers == nil && $0.value.isReachedFromOutside }
    let warning = outside.map { entry in
      ConfigMistake(
        entry.origin,
        "without peers here, or a token in its environment, or --open, the server does not listen at \(entry.value.place)")
    }
    return (configuration.warnings + (warning.map { [$0] } ?? []), configuration)
  }

  private static func list(_ mistakes: [ConfigMistake]) -> String {
    mistakes.map { mistake in
      let file = mistake.file.map { "\"file\":\(Payload(text: $0).json)," } ?? ""
      let place = mistake.place.map { "\"line\":\($0.line),\"column\":\($0.column)," } ?? ""
      return "{\(file)\(place)\"message\":\(Payload(text: mistake.message).json)}"
    }.joined(separator: ",")
  }
}
