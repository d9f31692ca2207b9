internal import BatonCore
internal import BatonRecord

/// Goes through the tree of a file and finds out what it says. It goes on after a mistake, so that all are told at
/// once.
///
/// Each kind of value has an extension: `FileReader+….swift`.
struct FileReader: NodeReading {
  let path: String
  var mistakes: MistakeList
  /// Finds a user's number by the name.
  let userNumber: (String) -> UInt32?
  var file: ConfigurationFile
  var known = KnownIdentities()
  /// Whether the values of the file are known: it is YAML to its end.
  private(set) var isReadable = true

  /// The keys of the file.
  static let keys = [
    "listen", "http", "http_hosts", "allow_origins", "public_address", "proxies", "proxy_header", "tls", "settings",
    "peers", "open", "chains", "topics", "store", "record", "trace", "cluster",
  ]
  /// What people write for keys, beside typing errors.
  private static let synonyms = [
    "port": "listen", "host": "listen", "listeners": "listen", "limits": "settings", "users": "peers",
    "access": "peers", "console": "http", "web": "http", "https": "http", "cors": "allow_origins",
    "origins": "allow_origins", "hosts": "http_hosts", "keep": "topics", "history": "topics", "retain": "topics",
    "database": "store", "audit": "record", "journal": "record", "guards": "chains", "guard": "chains",
    "links": "chains", "handlers": "chains",
    "publicurl": "public_address", "url": "public_address", "trustedproxies": "proxies", "trustproxy": "proxies",
    "tracing": "trace", "traces": "trace", "otlp": "trace", "opentelemetry": "trace",
  ]

  init(path: String, mistakes: MistakeList, userNumber: @escaping (String) -> UInt32?) {
    self.path = path
    self.mistakes = mistakes
    self.userNumber = userNumber
    file = ConfigurationFile(path: path)
  }

  mutating func readFile(_ root: Node) {
    for member in members(of: root, "the file", keys: FileReader.keys, synonyms: FileReader.synonyms) {
      switch member.key {
      case "listen": readListen(member.value)
      case "http": readHTTP(member)
      case "http_hosts": readHTTPHosts(member.value)
      case "allow_origins": readAllowOrigins(member.value)
      case "public_address": readPublicAddress(member.value)
      case "proxies": readProxies(member.value)
      case "proxy_header": readProxyHeader(member.value)
      case "tls": readTLS(member)
      case "settings": readSettings(member.value)
      case "peers": readPeers(member)
      case "open": readOpen(member.value)
      case "topics": readTopics(member.value)
      case "store": file.store = path(member)
      case "cluster": readCluster(member)
      case "record": readRecord(member)
      case "trace": readTrace(member.value)
      default: readChains(member)
      }
    }
  }

  // MARK: From bytes to values

  /// Reads a file's bytes: what they say as far as it is right, and all that is wrong. What is wrong has a value in its
  /// place, so that nobody takes it for missing.
  static func read(_ bytes: [UInt8], path: String, userNumber: @escaping (String) -> UInt32?) -> FileReader {
    guard bytes.count <= SourceText.mostBytes else {
      return FileReader(path, "the file has more than \(SourceText.mostBytes) bytes")
    }
    var tree = TreeReader(SourceText(bytes), path: path)
    let root = tree.read()
    var reader = FileReader(path: path, mistakes: tree.mistakes, userNumber: userNumber)
    reader.file.digest = RecordOptions.digest(of: bytes)
    reader.isReadable = root != nil || tree.mistakes.isEmpty
    if let root { reader.readFile(root) }
    return reader
  }

  /// Reads the file at a path.
  static func read(at path: String, _ kind: FileBytes.Kind = .anything) -> FileReader {
    do throws(ConfigMistake) {
      let bytes = try FileBytes.read(
        path, kind, named: "the file", atMost: SourceText.mostBytes, origin: .whole(path))
      return read(bytes, path: path, userNumber: SystemNames.userNumber)
    } catch {
      return FileReader(path, error.message)
    }
  }

  /// A file of which nothing is known.
  private init(_ path: String, _ message: String) {
    self.init(path: path, mistakes: MistakeList(), userNumber: { _ in nil })
    mistakes.add(ConfigMistake(.whole(path), message))
    isReadable = false
  }

  // MARK: Mistakes

  func origin(_ place: FilePlace) -> Origin { .file(path, place) }

  mutating func wrong(_ place: FilePlace, _ message: String) { mistakes.add(ConfigMistake(origin(place), message)) }

  /// A path of the file: relative to the file, not to where the server was started.
  func resolved(_ other: String) -> String {
    guard !other.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return other }
    return path[...slash] + other
  }
}
