import BatonClient

extension Client {
  /// The chains that have stored messages of a kind, in their order. Throws where the server has no store, and where a right
  /// is missing to see any chain.
  func chainsWithStored(_ isMeant: (Inspection.StoredMessages) -> Bool) async throws -> [String] {
    try await requireSight()
    let seen = try await inspect(InspectionRequest()).seen.chains
    if seen.allSatisfy({ $0.stored == nil }) { try await checkStore() }
    // The server tells of no more chains that its file does not name (contract, section 15).
    if seen.count(where: { $0.version == 0 && $0.links.isEmpty }) >= 100 {
      talk("there may be more chains that the configuration file does not name: look at one with --chain")
    }
    return seen.filter { $0.stored.map(isMeant) ?? false }.map(\.chain)
  }

  /// Where no chain has stored messages, there may be no store at all. Then no answer is the right one but that error.
  private func checkStore() async throws {
    do {
      for try await _ in deadLetters(of: "main") { return }
    } catch let error as BatonError where error.code != "no_store" {
      // The peer may not see that chain; there is a store.
    }
  }
}
