import BatonCluster
import BatonConfig
import BatonCore
package import BatonServer
import BatonStore
import Lease
import Logging
import NATS
import TLS
import UV

/// A server that is a node of a cluster: it is a spare until it leads.
extension Serve {
  /// Lets the server join its cluster, with its store. `startAnew` starts the process once more.
  static func join(
    _ configuration: Configuration, _ server: Server, _ store: sending Store?, _ settings: Settings, _ logger: Logger,
    startAnew: @escaping () -> Never
  ) throws {
    guard let cluster = configuration.cluster, let node = cluster.node?.value else { return }
    var plan = try ConfigOptions.telling { () throws(ConfigMistakes) in
      try cluster.plan(of: configuration, start: settings.process.start, settings)
    }
    plan.terms.ownStart = store?.start.leads
    let start = plan.terms.start
    let engine = try ClusterEngine(plan, store)
    try server.join(
      as: node, by: engine,
      openStore: { [unowned server] in
        if let store = engine.store { try open(store, as: start, with: server, logger) }
      }, startAnew: startAnew)
  }
}

extension ClusterEntry {
  /// The plan for the engine of a node. Throws what is wrong with the files that it names.
  func plan(of configuration: Configuration, start: UInt128, _ settings: Settings) throws(ConfigMistakes) -> ClusterPlan
  {
    let name = name?.value ?? ""
    let lease = Int64(settings.leaseMilliseconds)
    let terms = LeaseTerms(
      node: node?.value ?? "", start: String(start, radix: 16), leaseMs: lease,
      renewMs: min(Int64(settings.renewMilliseconds), max(1, lease / 7)), nodes: addresses,
      digest: configuration.commonDigest,
      leadsAsItIs: leadsAsItIs, boot: BootClock.boot)
    return ClusterPlan(
      name: name, terms: terms, nats: try natsPlan(called: "baton-\(name)-\(terms.node)"), pages: pages,
      version: Settings.version, replicas: replicas?.value, storeMs: Int64(settings.storeMilliseconds),
      logBytes: settings.logBytes)
  }

  /// How NATS is reached.
  func natsPlan(called client: String) throws(ConfigMistakes) -> NATSPlan {
    var credentials: NATSCredentials?
    do throws(ConfigMistake) {
      switch try self.credentials.map({ (path) throws(ConfigMistake) in try EngineCredentials(path) }) {
      case .user(let user, let password): credentials = .user(user, password: password)
      case .token(let token): credentials = .token(token)
      case .key(let seed, let proof):
        guard let key = NATSKey(seed) else {
          throw ConfigMistake(
            self.credentials?.origin ?? .byDefault, "its nkey is no seed of a user: SU and 56 more signs")
        }
        credentials = .key(key, proof: proof)
      case nil: break
      }
    } catch {
      throw ConfigMistakes(error.origin, error.message)
    }
    var files = TLSContext.Files()
    (files.authorities, files.certificate, files.key) = (authority?.value, certificate?.value, key?.value)
    let places = engine.map { NATSPlace(host: $0.value.host, port: $0.value.port, isEncrypted: $0.value.isEncrypted) }
    do throws(TLSError) {
      return NATSPlan(
        places: places, credentials: credentials, tls: try TLSContext(.client, files), name: client,
        version: Settings.version)
    } catch {
      throw ConfigMistakes((certificate ?? authority)?.origin ?? .byDefault, error.description)
    }
  }

  /// Where clients, and people, reach each node.
  var addresses: [String: String] { Dictionary(nodes.map { ($0.name, $0.address) }, uniquingKeysWith: { $1 }) }
  var pages: [String: String] {
    Dictionary(nodes.compactMap { node in node.pages.map { (node.name, $0) } }, uniquingKeysWith: { $1 })
  }
}

extension Server {
  /// The file was read anew: the lease says it with the next renewal.
  func tellNode(of configuration: Configuration) {
    guard let cluster = configuration.cluster else { return }
    tellNode(digest: configuration.commonDigest, nodes: cluster.addresses, pages: cluster.pages)
  }
}

extension ClusterEngine: NodeEngine {
  package var messages: (any MessageStore)? { store }
}
