/// Who may come in, and what they may do: an entry of the configuration file under `peers` (contract, section 11).
package struct Entry {
  /// The identity; `anonymous` for those that have none.
  package let name: String
  package var tokens: [String] = []
  /// `dns:…` or `uri:…`, in lower case.
  package var certificates: [String] = []
  package var users: [String] = []
  /// The rights, as the file spells them.
  package var may: [String] = []
  /// What all its connections have together, by the names of the file.
  package var limits: [String: Int] = [:]

  package init(name: String) { self.name = name }

  static let anonymous = "anonymous"
}

/// What the server knows of a peer before its first line.
package struct Facts {
  /// What counts as one address.
  package var address = 0
  /// Whether nobody on the way can read a token.
  package var takesTokens = true
  package var certificates: [String] = []
  package var users: [String] = []

  package init() {}
}

/// A right as a value. The model reads it word by word, and expects that it is spelled rightly.
struct Right {
  /// Its first word.
  let verb: String
  /// The chain, or the beginning of chains with `*` behind it; for `broadcast`, that behind `via`. `server` is the server.
  var chain: String?
  var handler = "*"
  var pattern = ">"

  init(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    func word(behind before: String) -> String? {
      words.firstIndex(of: before).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
    }
    verb = words[0]
    switch verb {
    case "send": (chain, pattern) = (word(behind: "to"), word(behind: "on") ?? ">")
    case "broadcast": (chain, pattern) = (word(behind: "via"), words[1])
    case "subscribe": pattern = words[1]
    case "serve":
      let parts = words[1].split(separator: "/").map(String.init)
      (chain, handler, pattern) = (parts[0], parts.count > 1 ? parts[1] : "*", word(behind: "on") ?? ">")
    case "see", "manage": chain = words[1]
    default: break
    }
  }

  /// Whether it is for the server and not for chains. No `*` means the server.
  var isForServer: Bool { chain == "server" }
}

extension Subject {
  /// Whether the other pattern matches whatever this topic or pattern matches.
  static func lies(_ pattern: String, within other: String, sparing: Bool = true) -> Bool {
    if pattern.hasPrefix("$"), !other.hasPrefix("$"), sparing { return false }
    return lies(pattern.split(separator: ".")[...], within: other.split(separator: ".")[...])
  }

  private static func lies(_ pattern: ArraySlice<Substring>, within other: ArraySlice<Substring>) -> Bool {
    guard let word = pattern.first, let wanted = other.first else { return pattern.isEmpty && other.isEmpty }
    if wanted == ">" { return true }
    guard word != ">", wanted == "*" || word == wanted else { return false }
    return lies(pattern.dropFirst(), within: other.dropFirst())
  }
}
