import Testing

@testable import BatonCore

/// Values and events through many lives of a server with a store, from seeds: an `ok` means that the value is there
/// after a crash; an event comes once, or a word of it (contract, section 15; Docs/guarantees.md, "The server
/// dies").
@Suite struct StoredWorldTests {
  @Test(arguments: 0..<150) func worlds(_ seed: Int) throws { try live(UInt64(seed)) }

  @Test(arguments: StorePlant.allCases) func faultsAreFound(_ plant: StorePlant) {
    for seed in 0..<150 {
      do { try live(UInt64(seed), plant) } catch { return }
    }
    Issue.record("\(plant) was not found")
  }

  private func live(_ seed: UInt64, _ plant: StorePlant? = nil) throws {
    let world = try StoredWorld(seed: seed, plant: plant)
    for _ in 0..<400 { try world.step() }
    try world.finish()
  }
}
