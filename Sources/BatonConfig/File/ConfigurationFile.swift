/// What the operator's file says, each value with its place; nothing is completed by defaults yet.
public struct ConfigurationFile: Sendable {
  /// The path as it was given.
  public let path: String
  /// Nil if the file does not say it.
  public var listen: [Sourced<ListenEntry>]?
  /// Values of settings by name. The names and the ranges are right.
  public var settings: [String: Sourced<Int>] = [:]
  public var tls = TLSFiles()
  /// Nil if the file has no `peers`.
  public var peers: [PeerEntry]?
  /// Where `peers` stands.
  public var peersOrigin: Origin?

  init(path: String) { self.path = path }

  /// Reads a file's bytes. `userNumber` finds a user's number by the name. If anything is wrong, throws all that is.
  public static func read(
    _ bytes: [UInt8], path: String, userNumber: @escaping (String) -> UInt32? = SystemNames.userNumber
  ) throws(ConfigMistakes) -> ConfigurationFile {
    guard bytes.count <= SourceText.mostBytes else {
      let message = "the file has more than \(SourceText.mostBytes) bytes"
      throw ConfigMistakes(all: [ConfigMistake(.whole(path), message)], untold: 0)
    }
    var tree = TreeReader(SourceText(bytes), path: path)
    let root = tree.read()
    var reader = FileReader(path: path, mistakes: tree.mistakes, userNumber: userNumber)
    if let root { reader.readFile(root) }
    try reader.mistakes.tell()
    return reader.file
  }
}
