/// What is wrong in the configuration file, and where.
public struct ConfigurationFault: Equatable, Sendable {
  /// The line, from 1.
  public let line: Int
  /// The column, from 1.
  public let column: Int
  /// What is wrong, and how to mend it.
  public let message: String

  /// A fault at a place.
  public init(line: Int, column: Int, message: String) {
    self.line = line
    self.column = column
    self.message = message
  }
}

/// The configuration file, as it is now (contract, section 11).
public struct ReloadedFile: Sendable {
  /// What it says about peers; nil: everybody may do everything.
  public var access: AccessRules?
  /// The chains that it declares; each chain once. `--guard` is among them.
  public var chains: [ChainDeclaration] = []
  /// The topics of which it keeps events.
  public var topics: [KeptTopics] = []
  /// The settings that are to be in force; those that need a new start stay as they are. nil: all stay.
  public var settings: Settings?
  /// The names of what changed.
  public var changed: [String] = []
  /// The names of what changes at the next start only.
  public var restart: [String] = []
  /// The declared links that change, those first that let messages pass which they stopped before.
  public var links: [LinkChange] = []
  /// What is allowed and probably not meant, and was not so before.
  public var warnings: [ConfigurationFault] = []

  /// A file that says nothing.
  public init() {}
}

/// What came of reading the configuration file anew (contract, section 11).
public enum ReloadNews: Sendable {
  /// The file is right.
  case read(ReloadedFile)
  /// The file is wrong, and nothing changes.
  case refused([ConfigurationFault])
}

/// The reload that is carried out, and those who asked for one. It knows no connection.
struct Reloads: ~Copyable {
  /// A peer that waits for its reply, and the `id` of its request as it is spelled.
  struct Asker {
    let connection: Ref<Connection>
    let id: [UInt8]
    let wantsReply: Bool
  }

  /// How far all connections have been reviewed.
  struct Review {
    let askers: [Asker]
    /// The members of the reply.
    let told: String
    /// Whether limits may be others than before: then what waits because of one is looked at.
    let areLimitsOthers: Bool
    /// Whether links are declared otherwise than before: then rights may mean others of them, though no right is gone.
    let areChainsOthers: Bool
    /// The connection that is looked at.
    var connection: UInt32 = 0
    /// What of it is looked at.
    var holding = Holding.links
    /// The next of its links and of its subscriptions to look at; nil: the first one. If it has gone meanwhile, all are
    /// looked at again.
    var replica: Ref<Replica>?
    var subscription: Ref<Subscription>?

    /// Whether nothing of the connection was looked at yet.
    var isFirstPiece: Bool {
      guard case .links = holding else { return false }
      return replica == nil
    }

    /// Begins the review of the next connection.
    mutating func goOn() {
      connection += 1
      holding = .links
      replica = nil
      subscription = nil
    }
  }

  /// What a connection holds, in the order in which it is reviewed.
  enum Holding {
    case links
    /// `next`: the id of the offer that is looked at next; `last`: the latest one when its links had been looked at.
    case offers(next: Int, last: Int)
    case waiting
    case subscriptions
  }

  /// Those who asked since the file was begun to be read last.
  private(set) var askers: [Asker] = []
  /// Those who had asked before: what is read now is for them.
  private(set) var served: [Asker] = []
  /// Those whose reload is carried out now; nil if none is.
  var review: Review?
  /// The links that connections had to leave, and where messages may wait.
  var left = Queue<Ref<Link>>()
  /// The texts of files that peers want to be checked, in the order in which they came.
  private(set) var checks: [Check] = []

  /// A text, and who wants it to be checked.
  struct Check {
    let asker: Asker
    let text: [UInt8]
  }

  /// How many of them may wait: each takes memory, and the server reads about one in a second.
  static let mostChecks = 8

  mutating func add(_ asker: Asker) { askers.append(asker) }

  mutating func add(_ check: Check) { checks.append(check) }

  /// The text that is checked first; nobody waits for it any more.
  mutating func takeFirstCheck() -> Check { checks.removeFirst() }

  /// The file is about to be read.
  mutating func begin() {
    served += askers
    askers = []
  }

  /// Those for whom it was read.
  mutating func takeServed() -> [Asker] {
    defer { served = [] }
    return served
  }

  /// Whether somebody waits for the file to be read.
  var isWanted: Bool { !askers.isEmpty && review == nil }

  /// Whether nobody waits for an answer about the file.
  var isQuiet: Bool { askers.isEmpty && served.isEmpty && review == nil && checks.isEmpty }
}
