import ArgumentParser
import BatonConfig

/// A server that is a node of a cluster: one of its nodes leads and serves, the others wait to take its place.
struct ClusterOptions: ParsableArguments {
  @Option(
    name: .customLong("cluster"),
    help: ArgumentHelp("The name of the cluster. All that leads stands on NATS with JetStream.", valueName: "name"))
  var name: String?

  @Option(help: ArgumentHelp("Which node of the cluster this is. (default: BATON_NODE)", valueName: "name"))
  var node: String?

  @Option(
    help: ArgumentHelp("All nodes, and where clients reach each: a=HOST:PORT,b=HOST:PORT.", valueName: "nodes"),
    transform: { text in try ClusterOptions.checked { () throws(ClusterComplaint) in try ClusterEntry.nodes(text) } })
  var nodes: [ClusterEntry.Node]?

  @Option(
    help: ArgumentHelp("A server of NATS: nats://HOST:PORT or tls://HOST:PORT; may be repeated.", valueName: "url"),
    transform: { text in try ClusterOptions.checked { () throws(ClusterComplaint) in try ClusterEntry.Engine(text) } })
  var engine: [ClusterEntry.Engine] = []

  @Option(
    help: ArgumentHelp("The file with the user and the password for NATS, or the token (mode 0600).", valueName: "file")
  )
  var engineCredentials: String?

  @Flag(help: "Lead although this file says something else than that of the leader before: its machine is gone.")
  var asItIs = false

  /// What the options say, each with its name.
  var entry: ClusterEntry {
    var entry = ClusterEntry()
    entry.name = name.map { Sourced($0, from: .flag("--cluster")) }
    entry.node = node.map { Sourced($0, from: .flag("--node")) }
    entry.nodes = nodes ?? []
    entry.engine = engine.map { Sourced($0, from: .flag("--engine")) }
    entry.credentials = engineCredentials.map { Sourced($0, from: .flag("--engine-credentials")) }
    entry.leadsAsItIs = asItIs
    return entry
  }

  private static func checked<Value>(_ read: () throws(ClusterComplaint) -> Value) throws -> Value {
    do throws(ClusterComplaint) { return try read() } catch { throw ValidationError(error.message) }
  }
}
