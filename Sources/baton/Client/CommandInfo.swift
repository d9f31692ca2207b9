import ArgumentParser
import BatonClient

/// What ArgumentParser knows of a command, as its `--experimental-dump-help` tells it.
struct CommandInfo: Decodable {
  let commandName: String
  let superCommands: [String]?
  let shouldDisplay: Bool?
  let abstract, discussion: String?
  let subcommands: [CommandInfo]?
  let arguments: [Argument]?

  /// An argument, option or flag.
  struct Argument: Decodable {
    let kind: Kind
    let shouldDisplay, isOptional, isRepeating: Bool
    let names: [Name]?
    let valueName, defaultValue, abstract: String?
    let allValues: [String]?
  }

  enum Kind: String, Decodable {
    case positional, option, flag
  }

  /// One of the ways to write an option.
  struct Name: Decodable {
    let kind, name: String
    var spelled: String { kind == "long" ? "--\(name)" : "-\(name)" }
  }

  private struct Tool: Decodable { let command: CommandInfo }

  /// Everything that is known of the program.
  static func of(_ program: any ParsableCommand.Type) throws -> CommandInfo {
    try Payload(json: program._dumpHelp()).decode(Tool.self).command
  }

  /// The subcommands that are shown.
  var shownSubcommands: [CommandInfo] {
    (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
  }
}
