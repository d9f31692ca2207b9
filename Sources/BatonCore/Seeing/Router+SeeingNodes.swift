package import BatonLasting

/// The nodes of a cluster, as `nodes` and `findings` tell them (contract, section 16).
extension Router {
  mutating func tellNodes(to connection: Slot<Connection>, at now: Instant) throws(Fault) {
    guard let sight = settings.process.nodes() else { throw Router.noCluster }
    let nodes = sight.nodes.map { Router.text(of: $0) }.joined(separator: ",")
    let engine = Router.engineText(of: sight)
    spent &+= Cost.entry &* sight.nodes.count
    guard
      var writer = beginReply(
        "nodes", as: .told, to: connection, atMost: nodes.utf8.count + engine.utf8.count + sight.leader.utf8.count + 320
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
    if let log = sight.log {
      writer.literal(",\"log\":")
      writer.text(log)
    }
    writer.literal(",\"nodes\":[")
    writer.raw(nodes)
    writer.literal("]}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// What is known of the nodes has changed: those are told that could lead now, and those that could not any more.
  package mutating func tellNodes(from old: NodesSight?, to new: NodesSight, at now: Instant) {
    beginOwnSteps()
    let before = Set(old?.spares ?? []), after = Set(new.spares)
    for node in new.nodes {
      if after.contains(node.name), !before.contains(node.name), announcements.isHeard(.nodeJoined) {
        announce(.nodeJoined, for: .everybody, "\"node\":\(Router.quoted(node.name))")
      }
      if before.contains(node.name), !after.contains(node.name), announcements.isHeard(.nodeLost) {
        announce(
          .nodeLost, for: .everybody,
          "\"node\":\(Router.quoted(node.name)),\"why_not\":\(Router.quoted(node.whyNot ?? ""))")
      }
    }
    _ = endOwnStep(at: now)
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
    let position = node.position.map { ",\"position\":\($0)" } ?? ""
    let behind = node.behind.map { ",\"behind\":\($0)" } ?? ""
    let free = node.freeBytes.map { ",\"free_bytes\":\($0)" } ?? ""
    return "{\"node\":\(quoted(node.name)),\"address\":\(quoted(node.address))\(version),\"leads\":\(node.leads)"
      + ",\"in_step\":\(node.whyNot == nil)\(why)\(wall)\(position)\(behind)\(free)}"
  }

  /// A part of a text in JSON. What other nodes and NATS say may have any signs.
  private static func said(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }

  /// Milliseconds that clocks of nodes may be apart before it is told.
  private static let mostApart = 2000
  /// For how many milliseconds it is told that the log began again.
  private static let toldOfLog = 3_600_000

  /// Looks whether another node could lead, and what all stand on.
  mutating func findAmongNodes(_ survey: Survey, at now: Instant) {
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
    if let again = sight.logBeganAgain {
      let since = Instant(microseconds: again)
      if now.milliseconds(since: since) < Router.toldOfLog {
        survey.findings.add(
          .log,
          Finding(
            since: since,
            why:
              "the log of the cluster began again, for NATS had lost it; until each node is in step, this node alone has all",
            next: "see what became of the files of NATS; baton nodes tells which nodes are in step"))
      }
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
