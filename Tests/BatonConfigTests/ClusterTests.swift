import Testing

@testable import BatonConfig

/// What `cluster` and its options say, and what of a file all nodes must have in common.
struct ClusterTests {
  private static let cluster = """
    cluster:
      name: demo
      nodes: { a: 10.0.0.1:22866, b: { at: 'tls:b.example:22867', http: https://b.example } }
      engine: ['tls://10.0.0.7:4222', 'nats://127.0.0.1']

    """

  private func configuration(_ text: String, _ change: (inout Configuration.Flags) -> Void = { _ in }) throws
    -> Configuration
  {
    var flags = Configuration.Flags()
    change(&flags)
    return try Configuration(file: read(text), flags: flags)
  }

  @Test func `The file says nodes and servers of NATS`() throws {
    let entry = try #require(configuration("open: local\n" + Self.cluster).cluster)
    #expect(entry.nodes.map(\.name) == ["a", "b"])
    #expect(entry.nodes.map(\.address) == ["10.0.0.1:22866", "tls:b.example:22867"])
    #expect(entry.nodes.map(\.pages) == [nil, "https://b.example"])
    #expect(entry.engine.map { "\($0.value)" } == ["tls://10.0.0.7:4222", "nats://127.0.0.1:4222"])
  }

  @Test func `Options say the same, and win over the file`() throws {
    let entry = try #require(
      configuration("open: local\n" + Self.cluster) {
        $0.cluster.name = Sourced("other", from: .flag("--cluster"))
        $0.cluster.nodes = (try? ClusterEntry.nodes("x=h:1,y=h:2")) ?? []
      }.cluster)
    #expect(entry.name?.value == "other")
    #expect(entry.nodes.map(\.name) == ["x", "y"])
    #expect(entry.engine.count == 2)
  }

  @Test(arguments: [
    ("--node", "c", "the cluster has no node \"c\"; it has a, b")
  ]) func `A node is one of the cluster`(flag: String, name: String, says: String) throws {
    let error = #expect(throws: ConfigMistakes.self) {
      try configuration("open: local\n" + Self.cluster) { $0.cluster.node = Sourced(name, from: .flag(flag)) }
    }
    #expect(error?.all.map(\.message) == [says])
  }

  @Test func `A node without a cluster is a mistake`() throws {
    let alone = #expect(throws: ConfigMistakes.self) {
      try configuration("open: local\n") { $0.cluster.node = Sourced("a", from: .flag("--node")) }
    }
    #expect(alone?.all.first?.message.contains("--cluster") == true)
  }

  @Test func `Secrets stand in no URL`() {
    #expect(
      throws: ClusterComplaint(
        message: "a URL holds no user and no password; write them into a file of mode 0600, and name it with "
          + "engine_credentials")
    ) { () throws(ClusterComplaint) in try ClusterEntry.Engine("nats://ann:s3cret@h") }
  }

  /// Two nodes may listen elsewhere; what decides about messages is the same.
  @Test func `The digest has what all nodes have in common, and nothing else`() throws {
    let file = """
      open: local
      settings: { window: 7, timeout_ms: 100 }
      chains: { main: { links: [{ handler: guard, required: true }] } }
      topics: [{ pattern: a.>, keep: 10 }]

      """
    let digest = try configuration(file).commonDigest
    #expect(try configuration(file + "listen: ['tcp:127.0.0.1:1']\n").commonDigest == digest)
    #expect(try configuration(file + "http: off\n").commonDigest == digest)
    #expect(try configuration(file + Self.cluster).commonDigest == digest)
    // A node without a store could not go on with what one with a store has accepted; which file it is does not matter.
    let stored = try configuration(file + "store: a.store\n").commonDigest
    #expect(try stored != digest && configuration(file + "store: b.store\n").commonDigest == stored)
    #expect(
      try configuration(file.replacing("window: 7, timeout_ms: 100", with: "timeout_ms: 100, window: 7")).commonDigest
        == digest)
    for (old, new) in [
      ("window: 7", "window: 8"), ("required: true", "required: false"), ("handler: guard", "handler: other"),
      ("keep: 10", "keep: 11"), ("open: local", "open: true"),
    ] { #expect(try configuration(file.replacing(old, with: new)).commonDigest != digest, "\(new)") }
  }

  @Test func `The digest has rights and tokens`() throws {
    let token = "sha256:" + String(repeating: "1", count: 64)
    let file = "peers: { web: { token: '\(token)', may: [send to main] } }\n"
    let digest = try configuration(file).commonDigest
    #expect(try configuration(file.replacing("111'", with: "112'")).commonDigest != digest)
    #expect(try configuration(file.replacing("send to main", with: "see main")).commonDigest != digest)
  }
}
