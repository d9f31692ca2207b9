import ArgumentParser

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// In which file of an agent the entry stands.
struct SettingsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The agent's file of settings. (default: the user's)", valueName: "file"))
  var settings: String?

  @Flag(help: "The file of the machine, which no project can switch off.")
  var machine = false

  func validate() throws {
    if machine, settings != nil { throw ValidationError("give --settings or --machine") }
  }

  /// The file; nil if the agent's file of the machine is no JSON.
  func path(_ agent: HookAgent) throws -> String? {
    if let settings { return settings.hasPrefix("/") ? settings : SettingsOptions.here + "/" + settings }
    if machine {
      #if canImport(Darwin)
        return agent.place.macOS
      #else
        return agent.place.linux
      #endif
    }
    return try SettingsOptions.folder(agent) + "/" + agent.place.file
  }

  /// The folder of the user's settings.
  static func folder(_ agent: HookAgent) throws -> String {
    if let variable = agent.place.variable, let folder = variableText(variable) { return folder }
    guard let home = variableText("HOME") else {
      throw ValidationError("no HOME is set, so the settings of \(agent.name) are not found; name them with --settings")
    }
    return home + "/" + agent.place.folder
  }

  static var here: String {
    guard let folder = getcwd(nil, 0) else { return "/" }
    defer { free(folder) }
    return String(cString: folder)
  }

  private static func variableText(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
