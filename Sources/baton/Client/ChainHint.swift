import ArgumentParser
import BatonClient
import BatonCore

/// Finds out why no handler was asked, and which name the user may have meant.
struct ChainHint {
  let client: Client

  /// Says why a message was offered to no handler. Says nothing if it cannot find out why.
  func tell(whyNobodyTook topic: String, in chain: String) async {
    guard let links = await chains(only: chain)?.first?.links else { return await tell(thatNobodyServes: chain) }
    let count = counted(links.count, "link", "links")
    talk("\(chain) has \(count), and none accepts \(topic); baton explain \(topic) shows why")
  }

  /// Says that there is no such chain, and which chain the user may have meant.
  func tell(thatNobodyServes chain: String) async {
    guard let all = await chains(only: nil) else { return }
    let nearest = nearestName(to: chain, among: all.map(\.chain)).map { "; did you mean \"\($0)\"?" }
    talk("there is no chain \"\(chain)\"\(nearest ?? ": it has no handler")")
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
