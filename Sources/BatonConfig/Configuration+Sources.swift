extension Configuration {
  /// Reads the file, if one is named, and the environment, and puts them together with the flags. `variable` finds a
  /// variable's value by the name. Throws all that is wrong.
  public static func read(
    path: String?, flags: Flags = Flags(), variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    try read(path.map { FileReader.read(at: $0) }, flags, variable)
  }

  /// The same with the bytes of a file in the place of the one that is named. Its paths are relative to that one.
  public static func read(
    _ bytes: [UInt8], inPlaceOf path: String?, flags: Flags = Flags(), variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    try read(
      FileReader.read(bytes, path: path ?? "baton.yaml", userNumber: SystemNames.userNumber), flags, variable)
  }

  /// The same as with a path, at a reload. What is no file may be used up, or let the server wait: it is read at the
  /// start only.
  public static func readRegularFile(
    path: String?, flags: Flags = Flags(), variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    if let path, FileFacts(path)?.isRegular == false {
      throw ConfigMistakes(.whole(path), "this is no regular file, and a reload reads nothing else")
    }
    return try read(path: path, flags: flags, variable: variable)
  }

  private static func read(
    _ reading: FileReader?, _ flags: Flags, _ variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    var mistakes = reading?.mistakes ?? MistakeList()
    var environment = ServerEnvironment()
    do throws(ConfigMistake) {
      environment.token = try ServerEnvironment.token(variable)
    } catch {
      mistakes.add(error)
    }
    if reading?.isReadable == false { try mistakes.tell() }
    return try Configuration(
      file: reading?.file, environment: environment, flags: flags, knowing: mistakes,
      machine: .servers)
  }

  /// What is wrong with a file alone, as a server without options and environment would use it: throws it. Returns
  /// warnings. Whether the environment will have a token is not known, so a file that lets other machines reach the
  /// server and says nothing about them is only warned of; and so is what it names and this machine has not.
  public static func check(
    path: String
  ) throws(ConfigMistakes) -> (configuration: Configuration, warnings: [ConfigMistake]) {
    try check(FileReader.read(at: path), .another)
  }

  /// The same for a file's bytes, on no machine.
  static func check(_ bytes: [UInt8], path: String) throws(ConfigMistakes) -> [ConfigMistake] {
    try check(FileReader.read(bytes, path: path, userNumber: SystemNames.userNumber), nil).warnings
  }

  private static func check(
    _ reading: FileReader, _ machine: Machine?
  ) throws(ConfigMistakes) -> (configuration: Configuration, warnings: [ConfigMistake]) {
    if !reading.isReadable { try reading.mistakes.tell() }
    let isSilent = reading.file.peersOrigin == nil
    var flags = Flags()
    flags.isOpen = isSilent
    let configuration = try Configuration(
      file: reading.file, flags: flags, knowing: reading.mistakes, machine: machine)
    let outside = configuration.places.first { isSilent && $0.value.isReachedFromOutside }
    let warnings =
      configuration.warnings.filter { $0.file != nil }
      + (outside.map { entry in
        let message =
          "without peers here, a token in its environment, or --open, the server does not listen at "
          + "\(entry.value.place)"
        return [ConfigMistake(entry.origin, message)]
      } ?? [])
    return (configuration, warnings)
  }
}
