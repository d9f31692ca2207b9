import ArgumentParser
import BatonClient
import BatonCluster
import BatonConfig
import BatonCore
import Lease

/// `baton nodes`: the nodes of a cluster, and which one leads.
struct Nodes: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the nodes of a cluster, or let another one lead.",
    discussion: """
      The leader tells which nodes there are, and which of them could lead in its place. With --config, NATS itself is \
      asked: that also works where nobody leads. In a pipe there is a header, and tabs between the fields. --hand-over lets \
      the leader finish what is under way; then another node leads. It needs the right "manage server".

      EXAMPLES:
        baton nodes
        baton nodes --config baton.yaml
        baton nodes --hand-over
        baton nodes --hand-over --to b
      """)

  @Flag(help: "Let another node lead, and finish before what is under way.")
  var handOver = false

  @Option(help: ArgumentHelp("The node that is to lead. (default: any that could)", valueName: "node"))
  var to: String?

  @Option(help: ArgumentHelp("Ask NATS, as the configuration file says it is reached.", valueName: "file"))
  var config: String?

  @OptionGroup(title: "Server") var server: ServerOptions

  func validate() throws {
    if to != nil, !handOver { throw ValidationError("--to is for --hand-over") }
    if handOver, config != nil { throw ValidationError("the leader is asked to hand over; leave --config out") }
  }

  func run() async throws {
    if let config { return try askEngine(config) }
    try await server.withClient { client in
      if handOver {
        let reply = try await client.request("hand_over", to.map { [("to", Payload(text: $0))] } ?? [])
        if server.json { try put(reply.bytes) }
        return
      }
      let line = try await client.request("nodes")
      guard !server.json else { return try put(line.bytes) }
      let told = try line.decode(ToldNodes.self)
      try tell(told.nodes.map(NodeRow.init))
    }
  }

  // MARK: NATS

  /// Milliseconds for NATS and the nodes to answer.
  private static let patience: Int64 = 4000

  private func askEngine(_ file: String) throws {
    let file = try ClusterFile(file)
    let answer = try ClusterInquiry.ask(file.plan, within: Nodes.patience)
    let rows = file.cluster.nodes.map { node in
      NodeRow(node.name, node.address, answer.nodes.first { $0.node == node.name }, lease: answer.lease)
    }
    if server.json {
      let leader = rows.first(where: \.leads).map { ",\"leader\":\(Payload(text: $0.node).json)" } ?? ""
      try put(json: "{\"op\":\"nodes\"\(leader),\"nodes\":[\(rows.map(\.json).joined(separator: ","))]}")
    } else {
      try tell(rows)
    }
    if let trouble = answer.trouble {
      talk("baton: \(trouble)".displaySafe)
      throw ExitCode.unreachable
    }
    if let lease = answer.lease, lease.free { talk("the lease is free: whoever may lead takes it") }
    if !rows.contains(where: \.leads) { throw ExitCode.failure }
  }

  // MARK: Telling

  private func tell(_ rows: [NodeRow]) throws {
    guard server.form == .people else {
      try put(
        ["node", "address", "version", "leads", "in_step", "why_not", "position", "behind"].joined(separator: "\t"))
      for row in rows { try put(row.fields.map(\.displaySafe).joined(separator: "\t")) }
      return
    }
    var table = TextTable(columns: [
      .init(title: "NODE", importance: 6), .init(title: "STATE", importance: 5),
      .init(title: "ADDRESS", importance: 3, least: 10), .init(title: "VERSION", importance: 2),
      .init(title: "BEHIND", importance: 1, isRight: true),
      .init(title: "WHY NOT", importance: 4, least: 20),
    ])
    table.rows = rows.map { row in
      .cells([
        .init(row.node, .bold), .init(row.state, row.isReady ? nil : .yellow), .init(row.address),
        .init(row.version ?? ""), .init(row.behind.map { "\($0)" } ?? ""), .init(row.whyNot ?? ""),
      ])
    }
    try table.put()
  }
}

/// The server's answer.
private struct ToldNodes: Decodable {
  struct Node: Decodable {
    let node: String
    let address: String
    let version: String?
    let leads: Bool
    let inStep: Bool
    let whyNot: String?
    let position: UInt64?
    let behind: UInt64?

    enum CodingKeys: String, CodingKey {
      case node, address, version, leads, position, behind
      case inStep = "in_step"
      case whyNot = "why_not"
    }
  }

  let nodes: [Node]
}

/// One node, as it is shown.
private struct NodeRow {
  let node: String
  let address: String
  let version: String?
  let leads: Bool
  let whyNot: String?
  let position: UInt64?
  let behind: UInt64?

  init(_ told: ToldNodes.Node) {
    (node, address, version, leads) = (told.node, told.address, told.version, told.leads)
    (position, behind) = (told.position, told.behind)
    whyNot = told.inStep ? nil : told.whyNot ?? ""
  }

  /// What a node has answered NATS; nil if it has not.
  init(_ name: String, _ address: String, _ word: NodeWord?, lease: LeaseRecord?) {
    (node, self.address, version) = (name, address, word?.version)
    leads = word?.leads ?? false
    whyNot = word == nil ? "it does not answer" : word?.whyNot
    (position, behind) = (word?.sequence, nil)
  }

  var isReady: Bool { leads || whyNot == nil }
  var state: String { leads ? "leads" : whyNot == nil ? "in step" : version == nil ? "away" : "not in step" }
  var fields: [String] {
    [node, address, version ?? "", "\(leads)", "\(whyNot == nil)", whyNot ?? ""]
      + [position, behind].map { $0.map { "\($0)" } ?? "" }
  }

  var json: String {
    let version = version.map { ",\"version\":\(Payload(text: $0).json)" } ?? ""
    let why = whyNot.map { ",\"why_not\":\(Payload(text: $0).json)" } ?? ""
    let position = position.map { ",\"position\":\($0)" } ?? ""
    return "{\"node\":\(Payload(text: node).json),\"address\":\(Payload(text: address).json)\(version),"
      + "\"leads\":\(leads),\"in_step\":\(whyNot == nil)\(why)\(position)}"
  }
}
