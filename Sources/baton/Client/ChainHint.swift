import ArgumentParser
import BatonClient
import BatonCore

/// Finds out which name the user may have meant.
struct ChainHint {
  let client: Client
  let server: ServerOptions

  /// Says that there is no such chain, and which chain the user may have meant. nil: the user named none, and meant
  /// `main`.
  func tell(thatNobodyServes chain: String?) async {
    if let words = await words(thatNobodyServes: chain) { talk(words) }
  }

  private func words(thatNobodyServes chain: String?) async -> String? {
    guard let all = await chains(only: nil)?.map(\.chain) else { return nil }
    let hint =
      if let chain {
        nearestName(to: chain, among: all).map { "; did you mean \"\($0)\"?" } ?? ": it has no link"
      } else if all.isEmpty {
        ": no chain has a link"
      } else {
        "; --chain names another: " + all.prefix(5).joined(separator: ", ")
          + (all.count > 5 ? ", \(Glyphs.current.ellipsis)" : "")
      }
    return "there is no chain \"\(chain ?? "main")\"\(hint)"
  }

  /// Does the work. If the server knows no such link, it says which link the user may have meant.
  func whereThereIsNo(
    _ link: String, besides others: [String?] = [], in chain: String, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch BatonError.refused(let code, let message) where ["no_such_handler", "no_such_mount"].contains(code) {
      let links = await chains(only: chain)?.first?.links ?? []
      let names = links.compactMap { code == "no_such_mount" ? $0.mount : $0.handler }
      // The place beside which a link should stand may be what is missing.
      let missing = others.compactMap(\.self).first { message.hasSuffix("\"\($0)\"") } ?? link
      var hint = nearestName(to: missing, among: names).map { "did you mean \"\($0)\"?" }
      if message.contains("did you mean") {
        hint = nil
      } else if hint == nil, links.isEmpty {
        hint = await words(thatNobodyServes: chain)
      }
      // What the contract calls inspect has another name here.
      let words = message.replacing("inspect shows", with: "baton chains shows")
      try server.complain(code, server.json ? message : "\(words) (\(code))", hint)
      throw ExitCode.failure
    }
  }

  private func chains(only chain: String?) async -> [Inspection.Chain]? {
    try? await client.inspect(InspectionRequest(chain: chain)).seen.chains
  }
}
