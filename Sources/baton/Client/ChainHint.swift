import ArgumentParser
import BatonClient
import BatonCore

/// Finds out why nobody was asked, and what may have been meant.
struct ChainHint {
  let client: Client

  /// Says why a message was offered to nobody. What cannot be found out is not said.
  func tell(whyNobodyTook topic: String, in chain: String) async {
    guard let links = await chains(only: chain)?.first?.links else { return await tell(thatNobodyServes: chain) }
    talk("\(chain) has \(counted(links.count, "link", "links")), none for \(topic); baton explain \(topic) shows why")
  }

  /// Says that a chain is not there, and which may have been meant.
  func tell(thatNobodyServes chain: String) async {
    guard let all = await chains(only: nil) else { return }
    let nearest = nearestName(to: chain, among: all.map(\.chain)).map { "; did you mean \"\($0)\"?" }
    talk("there is no chain \"\(chain)\"\(nearest ?? ": nobody has put a handler into it")")
  }

  /// Does the work; where the server knows no such link, says which may have been meant.
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
