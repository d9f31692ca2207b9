import FuzzKit
import Testing

@testable import BatonCore

/// The offers of one connection that it has not answered.
@Suite struct OfferRowTests {
  private struct Row: ~Copyable {
    var row = OfferRow()
    var offers = Table<Offer>()
    /// The place of each unanswered offer.
    var places: [Int: Slot<Offer>] = [:]

    mutating func add() -> Int {
      let id = row.nextID
      let offer = offers.insert(
        Offer(
          id: id, connection: 0, replica: 0, maker: 0, subject: .lapsed, timeoutMilliseconds: 1, policy: .goOn,
          made: Instant(microseconds: 0)))
      row.append(offer, in: &offers)
      places[id] = offer
      return id
    }

    mutating func settle(_ id: Int) {
      guard let place = places.removeValue(forKey: id) else { return }
      row.remove(place, in: &offers)
      offers.remove(place)
    }

    mutating func find(_ id: Int) -> Slot<Offer>? { row.find(id, in: &offers) }

    /// The ids in the order of the row.
    var ids: [Int] {
      var ids: [Int] = []
      var at = row.first
      while at != .nobody {
        ids.append(offers[at].id)
        at = offers[at].next
      }
      return ids
    }

    /// Backwards, so that both directions of the row are checked.
    var idsFromTheEnd: [Int] {
      var ids: [Int] = []
      var at = row.last
      while at != .nobody {
        ids.append(offers[at].id)
        at = offers[at].previous
      }
      return ids
    }
  }

  @Test func idsCountFromOne() {
    var row = Row()
    let nothing = row.find(1)
    let ids = [row.add(), row.add(), row.add()]
    let strangers = [row.find(0), row.find(-1), row.find(4), row.find(.max), row.find(.min)]
    #expect(nothing == nil && ids == [1, 2, 3] && strangers == [nil, nil, nil, nil, nil])
  }

  /// One offer stays unanswered while thousands come and go. It is still found, although there are few buckets.
  @Test func aForgottenOfferIsStillFound() {
    var row = Row()
    let forgotten = row.add()
    for _ in 0..<5000 {
      let id = row.add()
      row.settle(id)
      let gone = row.find(id)
      #expect(gone == nil)
    }
    let (found, place) = (row.find(forgotten), row.places[forgotten])
    #expect(found != nil && found == place)
    row.settle(forgotten)
    let (after, count, first) = (row.find(forgotten), row.row.count, row.row.first)
    #expect(after == nil && count == 0 && first == .nobody)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func keepsWhatADictionaryKeeps(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var row = Row()
    for step in 0..<4000 {
      if Int.random(in: 0..<10, using: &generator) < (step % 1000 < 500 ? 7 : 3) {
        _ = row.add()
      } else if let id = row.places.keys.sorted().randomElement(using: &generator) {
        row.settle(id)
      }
      guard step % 200 == 0 else { continue }
      let expected = row.places.keys.sorted()
      let (ids, backwards, count, last) = (row.ids, row.idsFromTheEnd, row.row.count, row.row.lastID)
      #expect(ids == expected && backwards == expected.reversed() && count == expected.count)
      var wrong: [Int] = []
      for id in 1...(last + 2) where row.find(id) != row.places[id] { wrong.append(id) }
      #expect(wrong.isEmpty, "step \(step)")
    }
  }

  /// Storms come and go, and some offers of each stay open for long. All are found while buckets move.
  @Test(arguments: [UInt64(1), 2, 3])
  func findsEveryOfferWhileBucketsMove(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var row = Row()
    var open: [Int] = []
    for storm in [10, 3000, 40, 12_000, 0, 500] {
      while open.count != storm {
        if Int.random(in: 0..<10, using: &generator) < (open.count < storm ? 9 : 1) {
          open.append(row.add())
        } else if !open.isEmpty {
          // Half of the time the oldest, as a handler answers.
          let at = Bool.random(using: &generator) ? 0 : Int.random(in: open.indices, using: &generator)
          open.swapAt(at, open.count - 1)
          let id = open.removeLast()
          row.settle(id)
          let gone = row.find(id)
          #expect(gone == nil)
        }
        if let id = open.randomElement(using: &generator) {
          let (found, expected) = (row.find(id), row.places[id])
          #expect(found == expected)
        }
        guard row.row.lastID % 1000 == 0 else { continue }
        var lost: [Int] = []
        for id in open where row.find(id) != row.places[id] { lost.append(id) }
        #expect(lost.isEmpty, "seed \(seed), id \(row.row.lastID)")
      }
      let (ids, backwards) = (row.ids, row.idsFromTheEnd)
      #expect(ids == open.sorted() && backwards == ids.reversed())
    }
  }

  /// No append and no remove moves more than 64 buckets, however many offers are open. Memory goes back.
  @Test func growsAndShrinksInSteps() {
    var row = Row()
    let nothing = row.row.progress.room
    #expect(nothing == 0, "a row that never had an offer owns no memory")
    var (before, most) = ((room: 0, done: 0), 0)
    func look() {
      let now = row.row.progress
      if now.room == before.room { most = max(most, now.done - before.done) }
      before = now
    }
    for _ in 0..<50_000 {
      _ = row.add()
      look()
    }
    let full = row.row.progress.room
    #expect(most == OfferRow.step && full <= 6 * 50_000)
    for id in 1...49_500 {
      row.settle(id)
      look()
    }
    let small = row.row.progress.room
    #expect(most == OfferRow.step && small <= 32 * 500)
    for id in 49_501...50_000 { row.settle(id) }
    let left = row.row.progress.room
    #expect(left <= 4096)
  }
}
