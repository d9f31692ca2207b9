internal import BatonCore

/// Goes through the tree of a file and finds out what it says. It goes on after a mistake, so that all are told at once.
///
/// Each kind of value has an extension: `FileReader+….swift`.
struct FileReader {
  let path: String
  var mistakes: MistakeList
  /// Finds a user's number by the name.
  let userNumber: (String) -> UInt32?
  var file: ConfigurationFile
  var known = KnownIdentities()

  /// The keys of the file.
  static let keys = ["listen", "tls", "settings", "peers"]

  init(path: String, mistakes: MistakeList, userNumber: @escaping (String) -> UInt32?) {
    self.path = path
    self.mistakes = mistakes
    self.userNumber = userNumber
    file = ConfigurationFile(path: path)
  }

  mutating func readFile(_ root: Node) {
    for member in members(of: root, "the file", keys: FileReader.keys) {
      switch member.key {
      case "listen": readListen(member.value)
      case "tls": readTLS(member)
      case "settings": readSettings(member.value)
      default: readPeers(member)
      }
    }
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
