import BatonCore
import DoorKit

extension Transcript {
  /// An entry of `peers`, as the head of a transcript or a reload writes it: `web user=ann may send to main; see main`.
  /// The options, if there are any, stand before `may`. An entry without `may` may do nothing.
  package struct Entry: Sendable, Equatable {
    package let name: String
    package private(set) var users: [String] = []
    package private(set) var certificates: [String] = []
    package private(set) var limits: [Setting] = []
    package private(set) var may: [String] = []
    /// What is wrong with the text, in the words of a report; nil if nothing is.
    private(set) var fault: String?

    /// Reads an entry. Every text is one; `fault` says what is wrong with it.
    package init(_ text: String) {
      var words = text.split(separator: " ").map(String.init)[...]
      name = words.popFirst() ?? ""
      if name.isEmpty { fault = "an identity has a name" }
      while let word = words.popFirst(), word != "may" { read(option: word) }
      may = words.joined(separator: " ").split(separator: ";").map { $0.trimmed }
      for right in may {
        do throws(RightError) {
          _ = try Right(parsing: right)
        } catch {
          fault = "\"\(right)\" is no right: \(error.message)"
        }
      }
    }

    private mutating func read(option word: String) {
      if let user = word.dropping(prefix: "user=") {
        users.append(user)
      } else if let name = word.dropping(prefix: "certificate=") {
        certificates.append(name)
      } else if let list = word.dropping(prefix: "limits=") {
        for part in list.split(separator: ",") {
          guard let limit = Setting(String(part)) else { return fault = "\(part) is not name=number" }
          limits.append(limit)
        }
      } else {
        fault = "\(word) is no option of an identity"
      }
    }

    /// The same entry, with the options of another one if it has none itself.
    func keepingOptions(of other: Entry?) -> Entry {
      guard let other, users.isEmpty, certificates.isEmpty, limits.isEmpty else { return self }
      var entry = self
      (entry.users, entry.certificates, entry.limits) = (other.users, other.certificates, other.limits)
      return entry
    }
  }
}

extension AccessRules {
  /// What a transcript's entries say; nil if there are none: everybody may do everything then.
  init?(_ entries: [Transcript.Entry]) throws(StageError) {
    guard !entries.isEmpty else { return nil }
    var peers: [Peer] = []
    for entry in entries {
      var peer = Peer(entry.name, may: entry.may)
      peer.users = entry.users.map(SystemUser.init(spelled:))
      peer.certificates = entry.certificates
      for limit in entry.limits {
        switch limit.name {
        case "max_connections": peer.limits.connections = limit.value
        case "max_open_messages": peer.limits.openMessages = limit.value
        case "max_open_bytes": peer.limits.openBytes = limit.value
        case "max_links": peer.limits.links = limit.value
        case "max_patterns": peer.limits.patterns = limit.value
        case "per_second": peer.limits.perSecond = limit.value
        case "burst": peer.limits.burst = limit.value
        default: throw StageError("\(limit.name) is no limit of an identity")
        }
      }
      peers.append(peer)
    }
    self.init(forTests: peers)
  }
}

extension SystemUser {
  /// A user as transcripts write it: a number, or a name.
  init(spelled text: String) { self = UInt32(text).map { .numbered($0) } ?? .named(text) }
}

extension PeerFacts {
  /// How a peer connects: what stands behind `connects`, as in `connects as user 1000 ann`, `connects as certificate
  /// dns:web.example`, `connects as certificate dns:web.example by old` (the authority that has signed it) or `connects from 7`: a machine elsewhere, from which no token may come. Nil for other texts.
  init?(connecting text: String) {
    self.init()
    var words = text.split(separator: " ").map(String.init)[...]
    if let by = words.lastIndex(of: "by"), by > 1 {
      authorities = words[(by + 1)...].map(TestToken.digest(of:))
      words = words[..<by]
    }
    switch (words.first, words.dropFirst().first) {
    case ("as", "user"): users = words.dropFirst(2).map(SystemUser.init(spelled:))
    case ("as", "certificate"): certificates = Array(words.dropFirst(2))
    case ("from", let number?) where words.count == 2:
      guard let number = UInt64(number) else { return nil }
      address = number
      takesTokens = false
    default: return nil
    }
    if words.count < 2 || words.first == "as" && words.count < 3 { return nil }
  }
}
