import BatonConfig

/// Where all that comes from which says what the server is to do. It is the same at each reload; only the file and the
/// files that it names are others.
struct ConfigurationSources: Sendable {
  /// The configuration file; nil without one.
  let path: String?
  /// Options, and sockets that are handed over.
  let flags: Configuration.Flags

  /// Puts everything together. Throws all that is wrong.
  func read() throws(ConfigMistakes) -> Configuration {
    try Configuration.read(path: path, flags: flags, variable: Environment.evenEmpty)
  }

  /// The same at a reload.
  func readRegularFiles() throws(ConfigMistakes) -> Configuration {
    try Configuration.readRegularFiles(path: path, flags: flags, variable: Environment.evenEmpty)
  }

  /// The same with the bytes of a file in the place of the file.
  func read(_ bytes: [UInt8]) throws(ConfigMistakes) -> Configuration {
    try Configuration.read(bytes, inPlaceOf: path, flags: flags, variable: Environment.evenEmpty)
  }
}
