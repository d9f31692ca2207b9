public import BatonCore
public import Proxies

/// What the configuration file says, each value with its place; nothing is completed by defaults yet.
public struct ConfigurationFile: Sendable {
  /// Whom the server lets in without asking who is there: nobody, everybody on its machine, everybody.
  public enum Openness: String, Sendable {
    case no = "false"
    case local
    case everywhere = "true"
  }

  /// The path as it was given.
  public let path: String
  /// Nil if the file does not say it.
  public var listen: [Sourced<ListenEntry>]?
  /// Where HTTP is served; empty for `off`, nil if the file does not say it.
  public var http: [Sourced<ListenEntry>]?
  /// Where `http` stands.
  public var httpOrigin: Origin?
  /// Names of hosts under which HTTP may be asked for; nil if the file does not say them.
  public var httpHosts: [Sourced<String>]?
  /// Origins whose pages may ask; nil if the file does not say them.
  public var allowOrigins: [Sourced<String>]?
  /// The origin of the server's own pages behind a proxy; nil if the file does not say it.
  public var publicAddress: Sourced<HTTPName>?
  /// The proxies that are believed; nil if the file does not say them.
  public var proxies: [Sourced<AddressRange>]?
  /// Whether some of what stands under `proxies` could not be read.
  public var hasWrongProxies = false
  /// The header that they set; nil if the file does not say it.
  public var proxyHeader: Sourced<ForwardingHeader>?
  /// Values of settings by name. The names and the ranges are right.
  public var settings: [String: Sourced<Int>] = [:]
  /// What stands under `tls`.
  public var tls = TLSFiles()
  /// Nil if the file has no `peers`.
  public var peers: [PeerEntry]?
  /// Where `peers` stands.
  public var peersOrigin: Origin?
  /// The chains that it declares, in the order of the file.
  public var chains: [ChainEntry] = []
  /// What stands under `open`; nil if the file does not say it.
  public var open: Sourced<Openness>?
  /// Where `chains` stands.
  public var chainsOrigin: Origin?
  /// The file of the store; nil if the file does not name one.
  public var store: Sourced<String>?
  /// What stands under `cluster`; nil if the file does not say it.
  public var cluster: ClusterEntry?
  /// What is recorded; nil if the file does not say it.
  public var record: RecordEntry?
  /// Which messages are traced beyond the server; nil if the file does not say it.
  public var trace: TraceEntry?
  /// The SHA-256 of the file's bytes, in hex.
  public var digest = ""
  /// The topics of which events are kept, in the order of the file.
  public var topics: [Sourced<KeptTopics>] = []

  init(path: String) { self.path = path }

  /// Reads a file's bytes. `userNumber` finds a user's number by the name. If anything is wrong, throws all that is.
  public static func read(
    _ bytes: [UInt8], path: String, userNumber: @escaping (String) -> UInt32? = SystemNames.userNumber
  ) throws(ConfigMistakes) -> ConfigurationFile {
    let reading = FileReader.read(bytes, path: path, userNumber: userNumber)
    try reading.mistakes.tell()
    return reading.file
  }

  /// The text of the file at a path, whatever it says. Throws if it cannot be read, is too large, or is not UTF-8.
  public static func text(at path: String) throws(ConfigMistakes) -> String {
    do throws(ConfigMistake) {
      let bytes = try FileBytes.read(
        path, .anything, named: "the file", atMost: SourceText.mostBytes, origin: .whole(path))
      if let text = String(validating: bytes, as: UTF8.self) { return text }
      let place = SourceText(bytes).complaint?.place ?? FilePlace(line: 1, column: 1)
      throw ConfigMistake(.file(path, place), "this is not UTF-8; save the file as UTF-8")
    } catch {
      throw ConfigMistakes(all: [error], untold: 0)
    }
  }

  /// Reads the file at a path. If it cannot be read, or anything in it is wrong, throws all that is.
  public static func read(at path: String) throws(ConfigMistakes) -> ConfigurationFile {
    let reading = FileReader.read(at: path)
    try reading.mistakes.tell()
    return reading.file
  }

  /// Reads what stands at a node of another file as if it stood in a file of its own. If anything is wrong, throws all
  /// that is.
  package static func read(_ node: Node, path: String) throws(ConfigMistakes) -> ConfigurationFile {
    var reader = FileReader(path: path, mistakes: MistakeList(), userNumber: SystemNames.userNumber)
    reader.readFile(node)
    try reader.mistakes.tell()
    return reader.file
  }
}
