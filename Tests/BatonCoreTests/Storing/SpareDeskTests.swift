import Testing

@testable import BatonCore

/// A spare has a store, and no keeper before it leads: nothing waits for one.
@Suite struct SpareDeskTests {
  @Test func aSpareHasNoWorkAndEndsAtOnce() {
    var settings = Settings()
    settings.hasStore = true
    let start = Instant(microseconds: 1_000_000)
    var router = Router(settings: settings, access: nil, at: start)
    router.standAside(for: OtherLeader(node: "b", leader: nil, isReady: true))
    let hasWork = router.hasWork
    #expect(!hasWork)
    router.drain(at: start)
    _ = router.turn(at: start)
    let rest = router.rest()
    #expect(rest.isDrained && !rest.hasWork)
  }
}
