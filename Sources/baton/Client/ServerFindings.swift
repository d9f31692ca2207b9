import BatonClient

/// What the server itself finds wrong (`findings`).
struct ServerFindings {
  let all: [Finding]
  /// The same as the server wrote it: JSON objects with commas between them.
  let json: String

  /// Those that are not `ok`, in the server's order: the worst first.
  var wrong: [Finding] { all.filter { $0.level != .ok } }

  private struct Reply: Decodable {
    let findings: [Finding]
    let more: Bool?
    let hidden: Int?
  }

  /// Asks the server. If it does not answer, for instance because it is older than the request, one finding says so.
  init(of client: Client) async throws {
    let reply: Reply
    let list: String
    do {
      let line = try await client.request("findings")
      guard let known = try? line.decode(Reply.self), let texts = ServerLine(line.bytes)?.payload("findings")?.json
      else { throw BatonError.unknownForm }
      (reply, list) = (known, texts)
    } catch BatonError.refused(let code, let message) {
      let why =
        code == "unknown_op"
        ? "the server is older than this program, and does not tell what it finds wrong"
        : "the server does not tell what it finds wrong: \(message) (\(code))"
      let silent = Finding(
        .warning, "findings", why,
        next: "use a server of this version; meanwhile baton chains and baton top show what it does")
      (all, json) = ([silent], silent.json)
      return
    }
    var more: [Finding] = []
    if reply.more == true { more.append(Finding(.warning, "findings", "the server has found more of the same")) }
    if let hidden = reply.hidden {
      more.append(
        Finding(
          .warning, "findings", "\(counted(hidden, "finding is", "findings are")) about chains that you may not see",
          next: "use the token of a peer that may see them: see CHAIN, or see *, beside see server"))
    }
    if reply.findings.isEmpty, more.isEmpty {
      let what = await client.maySeeServer ? "" : " with the chains that you may see"
      more = [Finding(.ok, "findings", "the server finds nothing wrong\(what)")]
    }
    let told = reply.findings.isEmpty ? [] : [String(list.dropFirst().dropLast())]
    (all, json) = (reply.findings + more, (told + more.map(\.json)).joined(separator: ","))
  }
}
