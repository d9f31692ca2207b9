/// What `cluster` and its options say: the nodes of a cluster, and the NATS on which they stand. Whoever has it from a
/// `Configuration` has at least two nodes and one server of NATS.
public struct ClusterEntry: Sendable {
  /// One node.
  public struct Node: Equatable, Sendable {
    /// Its name.
    public let name: String
    /// Where clients reach it, as after `--server`.
    public let address: String
    /// The origin of its pages, for people; nil if nobody says it.
    public let pages: String?

    /// A node, if its parts are right.
    init(name: String, address: String, pages: String?) throws(ClusterComplaint) {
      if let complaint = ClusterEntry.complaint(name: name) { throw ClusterComplaint(message: complaint) }
      let parts =
        address.hasPrefix("tls:")
        ? address.dropFirst(4) : address.hasPrefix("tcp:") ? address.dropFirst(4) : address[...]
      guard address.utf8.count <= 255, let place = try? ListenEntry.Place(kind: "tcp", String(parts)), place.port != 0,
        !address.contains(",")
      else {
        throw ClusterComplaint(
          message:
            "\(quoted(address)) is no address of a node; write where clients reach it: HOST:PORT or tls:HOST:PORT")
      }
      if let pages, !pages.hasPrefix("http://") && !pages.hasPrefix("https://") || pages.utf8.count > 255 {
        throw ClusterComplaint(
          message: "\(quoted(pages)) is no address of a console; write http://HOST:PORT or https://HOST")
      }
      (self.name, self.address, self.pages) = (name, address, pages)
    }
  }

  /// One server of NATS.
  public struct Engine: Equatable, Sendable, CustomStringConvertible {
    /// A name or a number.
    public let host: String
    /// The port.
    public let port: UInt16
    /// Whether nothing may be said there without encryption.
    public let isEncrypted: Bool

    /// As it is written, with its port.
    public var description: String {
      "\(isEncrypted ? "tls" : "nats")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
  }

  /// The cluster's name; nil only where no cluster is meant.
  public var name: Sourced<String>?
  /// The name of this node; nil if nobody says it.
  public var node: Sourced<String>?
  /// All nodes, by their names.
  public var nodes: [Node] = []
  var nodesOrigin: Origin?
  /// The servers of NATS.
  public var engine: [Sourced<Engine>] = []
  /// The file with user and password, or with a token.
  public var credentials: Sourced<String>?
  /// The file of the authority of NATS.
  public var authority: Sourced<String>?
  /// The file of this node's certificate for NATS.
  public var certificate: Sourced<String>?
  /// The file of that certificate's key.
  public var key: Sourced<String>?
  /// Whether credentials go to other machines without encryption.
  public var isPlain: Sourced<Bool>?
  /// How many servers of NATS are to keep the lease; nil: three where they are a cluster.
  public var replicas: Sourced<Int>?
  /// Whether the node leads although its file says something else than the leader's before it.
  public var leadsAsItIs = false

  /// Nothing.
  public init() {}

  /// A cluster's nodes, at most.
  static let nodeCounts = 2...5
  static let mostEngines = 9
  static let replicaCounts = [1, 3, 5]

  /// What is said here, and what `others` says where nothing is said here.
  func completed(by others: ClusterEntry?) -> ClusterEntry {
    guard let others else { return self }
    var entry = self
    entry.name = name ?? others.name
    entry.node = node ?? others.node
    if nodes.isEmpty { (entry.nodes, entry.nodesOrigin) = (others.nodes, others.nodesOrigin) }
    if engine.isEmpty { entry.engine = others.engine }
    entry.credentials = credentials ?? others.credentials
    (entry.authority, entry.certificate, entry.key) = (others.authority, others.certificate, others.key)
    entry.isPlain = isPlain ?? others.isPlain
    entry.replicas = replicas ?? others.replicas
    return entry
  }

  /// What needs a new start when it is another one.
  var needingStart: [String?] {
    [name?.value, node?.value, credentials?.value, authority?.value, certificate?.value, key?.value]
      + engine.map { "\($0.value)" } + [isPlain.map { "\($0.value)" }, replicas.map { "\($0.value)" }]
  }
}

/// Why a part of `cluster` is not right.
public struct ClusterComplaint: Error, Equatable {
  /// What is wrong, and how to mend it. It has nothing of what may be a secret.
  public let message: String
}

extension ClusterEntry.Engine {
  /// Reads `nats://HOST:PORT` or `tls://HOST:PORT`. The port is 4222 where none is said.
  public init(_ text: String) throws(ClusterComplaint) {
    let kinds = [("nats://", false), ("tls://", true)]
    guard let (kind, isEncrypted) = kinds.first(where: { text.hasPrefix($0.0) }) else {
      throw ClusterComplaint(message: "a server of NATS is written nats://HOST:PORT or tls://HOST:PORT")
    }
    let rest = text.dropFirst(kind.utf8.count)
    guard !rest.contains("@") else {
      throw ClusterComplaint(
        message: "a URL holds no user and no password; write them into a file of mode 0600, and name it with "
          + "engine_credentials")
    }
    let hasPort = rest.hasSuffix("]") ? false : rest.contains(":")
    guard let place = try? ListenEntry.Place(kind: "tcp", hasPort ? String(rest) : "\(rest):4222"),
      let host = place.host, let port = place.port, port != 0, !host.contains(where: { "/?#".contains($0) })
    else { throw ClusterComplaint(message: "\(quoted(text)) is no server of NATS; write \(kind)HOST:PORT") }
    (self.host, self.port, self.isEncrypted) = (host, port, isEncrypted)
  }
}

extension ClusterEntry {
  /// Why a text names no cluster and no node; nil if it may.
  static func complaint(name: String) -> String? { FileReader.complaint(identity: name) }

  /// Reads `a=10.0.0.1:22866,b=tls:b.example:22867`.
  public static func nodes(_ text: String) throws(ClusterComplaint) -> [Node] {
    var nodes: [Node] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let sign = part.firstIndex(of: "=") else {
        throw ClusterComplaint(message: "nodes are written NAME=HOST:PORT,NAME=HOST:PORT")
      }
      nodes.append(
        try Node(name: String(part[..<sign]), address: String(part[part.index(after: sign)...]), pages: nil))
    }
    return nodes
  }
}
