import FuzzKit
import Testing

@testable import BatonCore

/// Everything that is due later.
@Suite struct TimerWheelTests {
  /// The tests name a timer by the ref of a walk. Nothing here looks the walk up.
  private func subject(_ number: Int) -> Due { .walk(Ref(slot: Slot(UInt32(number)), generation: 1)) }

  private func number(_ subject: Due?) -> Int? {
    guard case .walk(let ref)? = subject else { return nil }
    return Int(ref.slot.index)
  }

  /// The next timer that is due at `instant`; nil if none is due.
  private func next(_ wheel: inout TimerWheel, at instant: Instant) -> Int? {
    while true {
      switch wheel.next(at: instant) {
      case .due(let subject): return number(subject)
      case .moved: continue
      case .nothing: return nil
      }
    }
  }

  /// Everything that is due at `instant`, in the order in which it comes.
  private func due(_ wheel: inout TimerWheel, at instant: Instant) -> [Int] {
    var numbers: [Int] = []
    while let found = next(&wheel, at: instant) { numbers.append(found) }
    return numbers
  }

  private func at(_ microseconds: Int64) -> Instant { Instant(microseconds: microseconds) }

  @Test func isNeverEarly() {
    for start in [Int64(0), 1, 999, 1000, 123_456_789, 1 << 50] {
      for delay in [Int64(1), 999, 1000, 1001, 63_999, 64_000, 64_001, 4_096_000, 86_400_000_000] {
        var wheel = TimerWheel(at: at(start))
        _ = wheel.set(subject(1), at: at(start + delay))
        let before = due(&wheel, at: at(start + delay - 1))
        let after = due(&wheel, at: at(start + delay + 999))
        #expect(before.isEmpty && after == [1], "\(start) + \(delay)")
      }
    }
  }

  /// What costs nothing to ask is never later than the truth, and is the truth once that was looked for.
  @Test func nothingIsDueBeforeTheTimeThatItSays() {
    var generator = SeededGenerator(seed: 7)
    var wheel = TimerWheel(at: at(0))
    var timers: [TimerRef] = []
    var now: Int64 = 0
    for step in 0..<5000 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        let delay = Int64(1) << Int64.random(in: 0...40, using: &generator)
        timers.append(wheel.set(subject(step), at: at(now + Int64.random(in: 1...delay, using: &generator))))
      case 2: if let timer = timers.randomElement(using: &generator) { wheel.end(timer) }
      default:
        now += Int64(1) << Int64.random(in: 0...36, using: &generator)
        let (mayBe, isDue) = (wheel.mayBeDue(at: at(now)), wheel.wakeAt.map { $0 <= at(now) } ?? false)
        #expect(mayBe || !isDue, "step \(step)")
        if mayBe { _ = due(&wheel, at: at(now)) }
      }
      let (told, truth) = (wheel.nothingBefore, wheel.wakeAt)
      if let truth { #expect(told ?? at(.max) <= truth, "step \(step)") }
    }
    let found = wheel.findNext()
    let (told, truth) = (wheel.nothingBefore, wheel.wakeAt)
    #expect(found == truth && told == truth)
  }

  @Test func timersOfOneTimeComeInTheOrderInWhichTheyWereSet() {
    var wheel = TimerWheel(at: at(0))
    // They are set long before, shortly before, and in between, so that they reach their tick through different levels.
    for number in 0..<10 { _ = wheel.set(subject(number), at: at(5_000_000)) }
    _ = due(&wheel, at: at(4_000_000))
    for number in 10..<20 { _ = wheel.set(subject(number), at: at(5_000_000)) }
    _ = due(&wheel, at: at(4_990_000))
    for number in 20..<30 { _ = wheel.set(subject(number), at: at(5_000_000)) }
    let order = due(&wheel, at: at(6_000_000))
    #expect(order == Array(0..<30))
  }

  @Test func anEarlierTimerComesFirstHoweverLateItWasSet() {
    var wheel = TimerWheel(at: at(0))
    _ = wheel.set(subject(1), at: at(86_400_000_000))
    _ = wheel.set(subject(2), at: at(70_000))
    _ = wheel.set(subject(3), at: at(2_000))
    let order = due(&wheel, at: at(90_000_000_000))
    #expect(order == [3, 2, 1])
  }

  @Test func anEndedTimerNeverComes() {
    var wheel = TimerWheel(at: at(0))
    let refs = (0..<6).map { wheel.set(subject($0), at: at(10_000)) }
    for number in [0, 3, 5] { wheel.end(refs[number]) }
    wheel.end(refs[3])
    wheel.end(.none)
    let order = due(&wheel, at: at(10_000))
    let count = wheel.count
    #expect(order == [1, 2, 4] && count == 0)
  }

  /// Timers that are due at the same time can end one another and set new timers while they are carried out.
  @Test func timersEndAndSetWhileOthersAreCarriedOut() {
    var wheel = TimerWheel(at: at(0))
    let refs = (0..<3).map { wheel.set(subject($0), at: at(1000)) }
    let first = next(&wheel, at: at(5000))
    wheel.end(refs[1])
    _ = wheel.set(subject(9), at: at(1000))
    let rest = due(&wheel, at: at(5000))
    let later = due(&wheel, at: at(6000))
    #expect(first == 0 && rest + later == [2, 9])
  }

  @Test func anEmptyWheelWantsNothing() {
    var wheel = TimerWheel(at: at(0))
    let nothing = wheel.wakeAt
    let ref = wheel.set(subject(1), at: at(100_000))
    let something = wheel.wakeAt
    wheel.end(ref)
    let again = wheel.wakeAt
    #expect(nothing == nil && something != nil && again == nil)
  }

  /// Follows only `wakeAt`, as a loop does. It must never be later than the next timer, and it must lead there in a few
  /// steps.
  @Test func wakeAtLeadsToATimerADayAway() {
    var wheel = TimerWheel(at: at(12_345_678))
    let time = at(12_345_678 + 86_400_000_000)
    _ = wheel.set(subject(1), at: time)
    var wakes = 0
    while let wake = wheel.wakeAt, wheel.count > 0, wakes < 100 {
      wakes += 1
      #expect(wake <= Instant(microseconds: time.microseconds + 999))
      if next(&wheel, at: wake) != nil { #expect(wake >= time) }
    }
    let count = wheel.count
    #expect(count == 0 && wakes <= 6)
  }

  private struct Model {
    var due: Int64
    var serial: Int
  }

  /// Many timers are set and ended, with small steps and long jumps. They are compared with a list that is sorted by
  /// time, and then by the order in which they were set.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func comesAsASortedListDoes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var now = Int64.random(in: 0...(1 << 45), using: &generator)
    var wheel = TimerWheel(at: at(now))
    var model: [Int: Model] = [:]
    var refs: [Int: TimerRef] = [:]
    for step in 0..<3000 {
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        let reach = Int64(1) << Int64.random(in: 1...36, using: &generator)
        let due = now + min(Int64.random(in: 1...reach, using: &generator), 86_400_000_000)
        let number = refs.count
        refs[number] = wheel.set(subject(number), at: at(due))
        model[number] = Model(due: max((due + 999) / 1000, now / 1000 + 1), serial: number)
      }
      if step % 3 == 0, let ended = model.keys.sorted().randomElement(using: &generator), let ref = refs[ended] {
        wheel.end(ref)
        model[ended] = nil
      }
      if let next = model.values.map(\.due).min(), let wake = wheel.wakeAt {
        #expect(wake.microseconds <= next * 1000, "wakeAt is behind the next timer")
      }
      now += Int64.random(in: 0...(step % 100 == 99 ? 40_000_000_000 : 3_000_000), using: &generator)
      let expected = model.filter { $0.value.due <= now / 1000 }
        .sorted { ($0.value.due, $0.value.serial) < ($1.value.due, $1.value.serial) }.map(\.key)
      let order = due(&wheel, at: at(now))
      #expect(order == expected, "seed \(seed), step \(step)")
      for number in order { model[number] = nil }
    }
    let count = wheel.count
    #expect(count == model.count)
  }

  /// Ten thousand timers stand in one slot of a higher level. One call moves at most 64 of them. Timers that are set
  /// in between, for the same ticks, come after those that were there.
  @Test(arguments: [UInt64(1), 2, 3])
  func aSlotIsMovedInPieces(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var wheel = TimerWheel(at: at(0))
    let start = Int64(5 * 64 * 64) * 1000
    var model: [(due: Int64, number: Int)] = []
    var refs: [TimerRef] = []
    func set(_ due: Int64) {
      model.append((due, refs.count))
      refs.append(wheel.set(subject(refs.count), at: at(due * 1000)))
    }
    for _ in 0..<10_000 { set(start / 1000 + Int64.random(in: 0..<100, using: &generator)) }
    var (moves, order) = (0, [Int]())
    for instant in [start - 1000, start, start + 30_000, start + 64_000, start + 5_000_000] {
      loop: while true {
        switch wheel.next(at: at(instant)) {
        case .due(let subject): if let number = number(subject) { order.append(number) }
        case .moved:
          moves += 1
          for _ in 0..<3 { set(instant / 1000 + Int64.random(in: 1..<100, using: &generator)) }
          let ended = Int.random(in: refs.indices, using: &generator)
          if !order.contains(ended) {
            wheel.end(refs[ended])
            model.removeAll { $0.number == ended }
          }
        case .nothing: break loop
        }
      }
    }
    order += due(&wheel, at: at(start + 6_000_000))
    let expected = model.sorted { ($0.due, $0.number) < ($1.due, $1.number) }.map(\.number)
    let left = wheel.count
    #expect(moves >= 10_000 / TimerWheel.piece && order == expected && left == 0)
  }

  /// Several days of timers that are far apart, on both sides of the start of the clock.
  @Test func everyTickHasASlot() {
    for start in [Int64.min / 2, -86_400_000_000, -1, 0, 1 << 61] {
      var wheel = TimerWheel(at: at(start))
      let delays = (0..<60).map { Int64(1) << $0 }.filter { !start.addingReportingOverflow($0 + 999).overflow }
      for (number, delay) in delays.enumerated().reversed() { _ = wheel.set(subject(number), at: at(start + delay)) }
      var order: [Int] = []
      while let wake = wheel.wakeAt { if let number = next(&wheel, at: wake) { order.append(number) } }
      // The delays below a tick have the same tick.
      let isSorted = order.filter { $0 >= 12 } == Array(12..<delays.count)
      #expect(isSorted && order.count == delays.count, "\(start)")
    }
  }
}
