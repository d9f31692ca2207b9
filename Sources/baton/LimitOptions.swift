import ArgumentParser
import BatonCore

/// The router's limits and durations.
struct LimitOptions: ParsableArguments {
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
  var choices: [Choice] = []

  @Flag(help: "Lists the settings with their defaults, units and reasons, and ends.")
  var listSettings = false

  /// One `--set`.
  struct Choice: Sendable {
    let name: String
    let value: Int
  }

  func validate() throws { _ = try settings() }

  /// The defaults with all `--set` values. Throws a `ValidationError` for a wrong name or value.
  func settings() throws -> Settings {
    var settings = Settings()
    for choice in choices {
      do throws(SettingError) {
        try settings.set(choice.name, to: choice.value)
      } catch {
        throw ValidationError(error.description)
      }
    }
    return settings
  }

  /// A line for each setting: its name with the default, the unit, and what it is for.
  static var list: String {
    let defaults = Settings()
    return Settings.table.map { setting in
      let value = "\(setting.name)=\(defaults[keyPath: setting.path])"
      return "\(padded(value, to: 33))  \(padded(setting.unit, to: 11))  \(setting.reason)"
    }.joined(separator: "\n")
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }
}
