internal import BatonCore

extension Configuration {
  /// Reads the file, if one is named, and the environment, and puts them together with the flags. `variable` finds a
  /// variable's value by the name. Throws all that is wrong.
  public static func read(
    path: String?, flags: Flags = Flags(), variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    try read(path.map { FileReader.read(at: $0) }, .anything, flags, variable)
  }

  /// The same with the bytes of a file in the place of the one that is named. Its paths are relative to that one.
  public static func read(
    _ bytes: [UInt8], inPlaceOf path: String?, flags: Flags = Flags(), variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    try read(
      FileReader.read(bytes, path: path ?? "baton.yaml", userNumber: SystemNames.userNumber), .regularFile, flags,
      variable)
  }

  /// The same as with a path, at a reload. What is no file may be used up, or let the server wait: it is read at the
  /// start only.
  public static func readRegularFiles(
    path: String?, flags: Flags = Flags(), variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    try read(path.map { FileReader.read(at: $0, .regularFile) }, .regularFile, flags, variable)
  }

  private static func read(
    _ reading: FileReader?, _ kind: FileBytes.Kind, _ flags: Flags, _ variable: (String) -> String?
  ) throws(ConfigMistakes) -> Configuration {
    var mistakes = reading?.mistakes ?? MistakeList()
    var environment = ServerEnvironment()
    do throws(ConfigMistake) {
      environment.token = try ServerEnvironment.token(variable, kind)
    } catch {
      mistakes.add(error)
    }
    if let node = variable(ServerEnvironment.nodeVariable), !node.isEmpty {
      environment.node = Sourced(node, from: .environment(ServerEnvironment.nodeVariable))
    }
    if reading?.isReadable == false { try mistakes.tell() }
    return try Configuration(
      file: reading?.file, environment: environment, flags: flags, knowing: mistakes,
      machine: .servers)
  }

  /// What is wrong with a file alone, as a server without options would use it: throws it. Returns warnings. What it
  /// names and this machine has not is only warned of: the server may be on another one.
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
    var environment = ServerEnvironment()
    // Such a file says that the server's environment has a token, which nobody knows here.
    if reading.file.open?.value == .no, reading.file.peersOrigin == nil {
      environment.token = Sourced(TokenDigest(of: ""), from: .environment(ServerEnvironment.tokenVariable))
    }
    let configuration = try Configuration(
      file: reading.file, environment: environment, flags: Flags(), knowing: reading.mistakes, machine: machine)
    return (configuration, configuration.warnings.filter { $0.file != nil })
  }
}
