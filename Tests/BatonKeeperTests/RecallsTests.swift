import BatonCore
import BatonLasting
import Testing

@testable import BatonDurable

/// Results that senders ask for again: how many the store reads at once, for whom, and in which order.
@Suite struct RecallsTests {
  private var recalls = Recalls()
  private var hearings: [UInt64: PeerHearing] = [:]

  private func wanted(_ ticket: UInt64, bytes: Int) -> Recalls.Wanted {
    let id = StoredID(start: .init(random: 1, 2), count: ticket)
    return Recalls.Wanted(ticket: ticket, id: id, once: Digest(high: 1, low: 2), bytes: bytes)
  }

  /// The tickets that the store is asked for, and those that are dropped.
  private mutating func next() -> (asked: [UInt64], dropped: [UInt64]) {
    var (asked, dropped): ([UInt64], [UInt64]) = ([], [])
    let hearings = hearings
    recalls.next(
      { connection, _ in hearings[connection] ?? .ready }, ask: { asked.append($0.ticket) },
      drop: { dropped.append($0.ticket) })
    return (asked, dropped)
  }

  @Test mutating func connectionsTakeTurnsAndTheStoreReadsSoMuchAtOnce() {
    for ticket in UInt64(1)...5 { recalls.want(wanted(ticket, bytes: 600_000), for: 7) }
    for ticket in UInt64(6)...7 { recalls.want(wanted(ticket, bytes: 10), for: 8) }
    #expect(next().asked == [1, 6, 2])
    #expect(next().asked.isEmpty && !recalls.areDue)
    #expect(recalls.answered(1)?.ticket == 1)
    #expect(recalls.answered(1) == nil, "it was answered")
    #expect(next().asked == [7, 3])
    for ticket in [6, 2, 7, 3] as [UInt64] { #expect(recalls.answered(ticket) != nil) }
    #expect(next().asked == [4, 5])
    for ticket in [4, 5] as [UInt64] { #expect(recalls.answered(ticket) != nil) }
    #expect(!recalls.areDue && next().asked.isEmpty)
  }

  @Test mutating func whoHasNotReadWaitsAndHoldsUpNobody() {
    hearings[7] = .busy
    for ticket in UInt64(1)...400 { recalls.want(wanted(ticket, bytes: 10), for: 7) }
    recalls.want(wanted(1000, bytes: 10), for: 8)
    #expect(next().asked == [1000])
    #expect(!recalls.areDue, "it is not asked again and again")
    hearings[7] = .ready
    #expect(next().asked.isEmpty)
    recalls.canHear(7)
    recalls.canHear(7)
    let first = next().asked
    #expect(first == Array(1...UInt64(first.count)) && first.count <= 128)
    var all = first
    while recalls.areDue { all += next().asked }
    #expect(all == Array(1...400))
  }

  @Test mutating func whatNobodyWaitsForIsDropped() {
    hearings[7] = .gone
    for ticket in UInt64(1)...300 { recalls.want(wanted(ticket, bytes: 1 << 20), for: 7) }
    var dropped: [UInt64] = []
    while recalls.areDue {
      let (asked, more) = next()
      #expect(asked.isEmpty && more.count <= 128)
      dropped += more
    }
    #expect(dropped == Array(1...300))
  }
}
