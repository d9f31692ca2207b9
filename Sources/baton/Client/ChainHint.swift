import ArgumentParser
import BatonClient
import BatonCore

/// Finds out which name the user may have meant.
struct ChainHint {
  let client: Client

  /// Says that there is no such chain, and which chain the user may have meant. nil: the user named none, and meant
  /// `main`.
  func tell(thatNobodyServes chain: String?) async {
    guard let all = await chains(only: nil)?.map(\.chain) else { return }
    let hint =
      if let chain {
        nearestName(to: chain, among: all).map { "; did you mean \"\($0)\"?" } ?? ": it has no link"
      } else if all.isEmpty {
        ": no chain has a link"
      } else {
        "; --chain names another: " + all.prefix(5).joined(separator: ", ")
          + (all.count > 5 ? ", \(Glyphs.current.ellipsis)" : "")
      }
    talk("there is no chain \"\(chain ?? "main")\"\(hint)")
  }

  /// Does the work. If the server knows no such link, it says which link the user may have meant.
  func whereThereIsNo(_ link: String, in chain: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch BatonError.refused(let code, let message) where ["no_such_handler", "no_such_mount"].contains(code) {
      talk("baton: \(message) (\(code))")
      let links = await chains(only: chain)?.first?.links ?? []
      let names = links.compactMap { code == "no_such_mount" ? $0.mount : $0.handler }
      if let nearest = nearestName(to: link, among: names) {
        talk("did you mean \"\(nearest)\"?")
      } else if links.isEmpty {
        await tell(thatNobodyServes: chain)
      }
      throw ExitCode.failure
    }
  }

  private func chains(only chain: String?) async -> [Inspection.Chain]? {
    try? await client.inspect(InspectionRequest(chain: chain)).seen.chains
  }
}
