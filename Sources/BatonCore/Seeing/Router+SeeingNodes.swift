internal import BatonLasting

/// The nodes of a cluster, as `nodes` and `findings` tell them (contract, section 16).
extension Router {
  mutating func tellNodes(to connection: Slot<Connection>, at now: Instant) throws(Fault) {
    guard let sight = settings.process.nodes() else { throw Router.noCluster }
    let nodes = sight.nodes.map { Router.text(of: $0) }.joined(separator: ",")
    let engine = Router.engineText(of: sight)
    spent &+= Cost.entry &* sight.nodes.count
    guard
      var writer = beginReply(
        "nodes", as: .told, to: connection, atMost: nodes.utf8.count + engine.utf8.count + sight.leader.utf8.count + 256
      )
    else { return }
    writer.literal(",\"leader\":")
    writer.text(sight.leader)
    writer.count(",\"epoch\":", Int(sight.epoch))
    writer.count(",\"since_ms\":", now.milliseconds(since: Instant(microseconds: sight.since)))
    writer.literal(",\"why\":\"")
    writer.raw(sight.why)
    writer.literal("\",\"engine\":")
    writer.raw(engine)
    writer.literal(",\"nodes\":[")
    writer.raw(nodes)
    writer.literal("]}\n")
    commitLine(writer, to: connection, at: now)
  }

  private static func engineText(of sight: NodesSight) -> String {
    let version = sight.engineVersion.map { ",\"version\":\(quoted($0))" } ?? ""
    let time = sight.engineMilliseconds.map { ",\"ms\":\($0)" } ?? ""
    return "{\"state\":\"\(sight.engineAway == nil ? "ok" : "away")\"\(version)\(time)}"
  }

  private static func text(of node: NodesSight.Node) -> String {
    let version = node.version.map { ",\"version\":\(quoted($0))" } ?? ""
    let why = node.whyNot.map { ",\"why_not\":\(quoted($0))" } ?? ""
    let wall = node.wallMilliseconds.map { ",\"wall_ms\":\($0)" } ?? ""
    return "{\"node\":\(quoted(node.name)),\"address\":\(quoted(node.address))\(version),\"leads\":\(node.leads)"
      + ",\"in_step\":\(node.whyNot == nil)\(why)\(wall)}"
  }

  /// A part of a text in JSON. What other nodes and NATS say may have any signs.
  private static func said(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }

  /// Milliseconds that clocks of nodes may be apart before it is told.
  private static let mostApart = 2000

  /// Looks whether another node could lead, and what all stand on.
  mutating func findAmongNodes(_ survey: Survey) {
    guard let sight = settings.process.nodes() else { return }
    if let why = sight.engineAway {
      survey.findings.add(
        .engine,
        Finding(
          why: "NATS is away: \(Router.said(why)); without it this node leads no longer than lease_ms",
          next: "see that the servers under engine run, and that this machine reaches them"))
    }
    for trouble in sight.engineTroubles {
      survey.findings.add(
        .engine, Finding(why: Router.said(trouble), next: "see what Docs/two-machines.md says of NATS's settings"))
    }
    if sight.spares.isEmpty {
      let others = sight.nodes.filter { !$0.leads }.map { "\($0.name): \($0.whyNot ?? "")" }.joined(separator: "; ")
      survey.findings.add(
        .node,
        Finding(
          why: "no other node could lead if this one is lost (\(Router.said(others)))",
          next: "start the other node, and give it the same file; baton nodes shows them"))
    }
    for node in sight.nodes {
      guard let apart = node.wallMilliseconds, abs(apart) > Router.mostApart else { continue }
      survey.findings.add(
        .node,
        Finding(
          why:
            "the clock of node \(Router.said(node.name)) is \(abs(apart)) ms \(apart > 0 ? "before" : "behind") this one's",
          next: "let both machines keep their time by NTP"))
    }
  }
}
