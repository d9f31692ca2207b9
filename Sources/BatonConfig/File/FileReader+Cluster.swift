/// Reads `cluster`: nodes, and the NATS on which they stand.
extension FileReader {
  static let clusterKeys = [
    "name", "nodes", "engine", "engine_credentials", "engine_tls", "engine_plain", "engine_replicas",
  ]
  private static let engineTLSKeys = ["authority", "certificate", "key"]

  mutating func readCluster(_ member: Node.Member) {
    var entry = ClusterEntry()
    // Whoever writes cluster means one, also where its name cannot be read.
    entry.name = Sourced("", from: origin(member.place))
    for member in members(of: member.value, "cluster", keys: FileReader.clusterKeys) {
      switch member.key {
      case "name":
        guard let text = text(member.value, "name") else { break }
        if let complaint = ClusterEntry.complaint(name: text) { wrong(member.value.place, complaint) }
        entry.name = Sourced(text, from: origin(member.value.place))
      case "nodes":
        entry.nodesOrigin = origin(member.value.place)
        entry.nodes = nodes(member.value)
      case "engine": entry.engine = engines(member.value)
      case "engine_credentials": entry.credentials = path(member)
      case "engine_tls": readEngineTLS(member.value, into: &entry)
      case "engine_plain":
        entry.isPlain = Sourced(flag(member.value, "engine_plain") ?? false, from: origin(member.value.place))
      default: entry.replicas = replicas(member)
      }
    }
    file.cluster = entry
  }

  private mutating func nodes(_ node: Node) -> [ClusterEntry.Node] {
    members(of: node, "nodes").compactMap { member in
      var (address, pages): (String?, String?)
      if case .map = member.value.content {
        for part in members(of: member.value, "a node", keys: ["at", "http"]) {
          if part.key == "at" { address = text(part.value, "at") } else { pages = text(part.value, "http") }
        }
        if address == nil { wrong(member.value.place, "a node needs at: where clients reach it") }
      } else {
        address = text(member.value, "a node")
      }
      guard let address else { return nil }
      do throws(ClusterComplaint) {
        return try ClusterEntry.Node(name: member.key, address: address, pages: pages)
      } catch {
        wrong(member.place, error.message)
        return nil
      }
    }
  }

  private mutating func engines(_ node: Node) -> [Sourced<ClusterEntry.Engine>] {
    oneOrMore(node).compactMap { node in
      guard let text = text(node, "engine") else { return nil }
      do throws(ClusterComplaint) {
        return Sourced(try ClusterEntry.Engine(text), from: origin(node.place))
      } catch {
        wrong(node.place, error.message)
        return nil
      }
    }
  }

  private mutating func readEngineTLS(_ node: Node, into entry: inout ClusterEntry) {
    for member in members(of: node, "engine_tls", keys: FileReader.engineTLSKeys) {
      switch member.key {
      case "authority": entry.authority = path(member)
      case "certificate": entry.certificate = path(member)
      default: entry.key = path(member)
      }
    }
  }

  private mutating func replicas(_ member: Node.Member) -> Sourced<Int>? {
    guard let number = number(member.value, member.key) else { return nil }
    guard ClusterEntry.replicaCounts.contains(number) else {
      wrong(member.value.place, "engine_replicas is 1, 3 or 5, not \(number)")
      return nil
    }
    return Sourced(number, from: origin(member.value.place))
  }
}
