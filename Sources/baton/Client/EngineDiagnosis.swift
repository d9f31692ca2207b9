import BatonCluster

/// What is wrong with the NATS on which a cluster stands, and how to mend it.
struct EngineDiagnosis {
  private let found: EngineExamination
  private let plan: ClusterPlan

  init(_ found: EngineExamination, of plan: ClusterPlan) { (self.found, self.plan) = (found, plan) }

  /// Whether one of the servers was reached, and whether a node could use one.
  var isReached: Bool { found.servers.contains { $0.version != nil } }
  private var isUsable: Bool { found.servers.contains { $0.trouble == nil } }

  var findings: [Finding] {
    let servers = found.servers.map(reached)
    return isUsable ? servers + rights + found.streams.flatMap(told) + [clock].compactMap(\.self) : servers
  }

  private func reached(_ server: EngineExamination.Server) -> Finding {
    guard let trouble = server.trouble else {
      return Finding(.ok, "nats", "NATS \(server.version ?? "") answers at \(server.place)")
    }
    if server.version != nil {
      return Finding(.wrong, "nats", trouble, next: "change that at NATS; see Docs/two-machines.md")
    }
    let next =
      trouble.lowercased().contains("authorization")
      ? "see that the user and the password, or the token, in engine_credentials are those of NATS"
      : "see that NATS runs there, and that this machine reaches it"
    let why = "\(server.place): \(trouble)"
    return isUsable ? Finding(.warning, "nats", why, next: next) : Finding(.wrong, "nats", why, next: next)
  }

  // MARK: Rights

  private var rights: [Finding] {
    let missing = found.missing.map(lacking)
    let unknown = found.unknown.map {
      Finding(
        .warning, "rights", "NATS has not answered \($0.subject)",
        next: "first give the rights that are missing; if none is, see NATS's log")
    }
    guard missing.isEmpty, unknown.isEmpty else { return missing + unknown }
    return [Finding(.ok, "rights", "NATS allows all that a node does (\(found.rights.count) rights were tried)")]
  }

  private func lacking(_ right: EngineExamination.Right) -> Finding {
    let line = "give this user in NATS's configuration: permissions { \(right.verb): { allow: [\"\(right.grant)\"] } }"
    let why = "NATS does not let this user \(right.verb) to \(right.subject)"
    guard let stream = right.makes, found.streams.contains(where: { $0.name == stream && $0.isThere == true }) else {
      return Finding(.wrong, "rights", why, next: line)
    }
    return Finding(
      .warning, "rights", "\(why): the stream is there, and a node could not make it anew", next: line)
  }

  // MARK: Streams

  private func told(_ stream: EngineExamination.Stream) -> [Finding] {
    switch stream.isThere {
    case true? where stream.troubles.isEmpty:
      [Finding(.ok, "streams", "\(stream.name) is there, and is as it should be")]
    case false?:
      [
        Finding(
          .ok, "streams",
          "\(stream.name) is not there yet: the first node makes it"
            + (stream.mostBytes.map { ", if NATS may keep \($0) bytes (max_file_store; log_bytes)" } ?? ""))
      ]
    case true?:
      stream.troubles.map {
        Finding(.warning, "streams", $0, next: "change the stream, for instance with nats stream edit")
      }
    case nil:
      stream.troubles.map { Finding(.wrong, "streams", "\(stream.name): \($0)", next: "see NATS's log") }
    }
  }

  private var clock: Finding? {
    guard let microseconds = found.microseconds else { return nil }
    let text = "NATS answers in \(Duration.microseconds(microseconds).words)"
    guard microseconds > plan.terms.renewMs * 500 else { return Finding(.ok, "clock", text) }
    return Finding(
      .warning, "clock", "\(text), and the lease is renewed each \(plan.terms.renewMs) ms",
      next: "put NATS nearer to the nodes, or raise lease_ms")
  }
}
