import ArgumentParser
import BatonCore

/// The router's limits and durations.
struct LimitOptions: ParsableArguments {
  @OptionGroup var chosen: LimitChoices

  @Flag(help: "Lists the settings with their defaults, units and reasons, and ends.")
  var listSettings = false

  /// A line for each setting: its name with the default, the unit, and what it is for.
  static var list: String {
    let defaults = Settings()
    return Settings.table.map { setting in
      let value = "\(setting.name)=\(defaults[keyPath: setting.path])"
      return "\(padded(value, to: 33))  \(padded(setting.unit, to: 11))  \(setting.reason)"
        + (setting.startReason.map { " (needs a new start: \($0))" } ?? "")
    }.joined(separator: "\n")
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }
}

/// The values that the command line gives to limits and durations.
struct LimitChoices: ParsableArguments {
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Sets a limit or duration, for instance max_line=65536. May be repeated; of the same name, the last one counts.",
      valueName: "name=value"),
    transform: { text in
      guard let equals = text.firstIndex(of: "="), let value = Int(text[text.index(after: equals)...]) else {
        throw ValidationError("\"\(text)\" is not a setting; write name=value with a whole number")
      }
      return Choice(name: String(text[..<equals]), value: value)
    })
  var all: [Choice] = []

  /// One `--set`.
  struct Choice: Sendable {
    let name: String
    let value: Int
  }

  /// Throws for a wrong name or value.
  func validate() throws {
    var trial = Settings()
    for choice in all {
      do throws(SettingError) {
        try trial.set(choice.name, to: choice.value)
      } catch {
        throw ValidationError(error.description)
      }
    }
  }
}
