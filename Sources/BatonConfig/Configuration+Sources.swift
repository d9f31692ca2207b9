extension Configuration {
  /// Reads the file, if one is named, and the environment, and puts them together with the flags. `variable` finds a
  /// variable's value by the name. All that is wrong is thrown at once, unless the file itself cannot be understood.
  public static func read(
    path: String?, flags: Flags = Flags(), variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    var file: ConfigurationFile?
    if let path { file = try ConfigurationFile.read(at: path) }
    return try Configuration(file: file, environment: ServerEnvironment(variable: variable), flags: flags)
  }
}
