import Synchronization
import Testing
import UV

/// Timers run on a clock that does not jump, and are never early (Docs/guarantees.md, "The clock jumps").
@Suite struct TimerTests {
  @Test func isNeverEarly() throws {
    let loop = try Loop()
    var early: [Int64] = []
    for delay: Int64 in [0, 1, 500, 999, 1000, 1001, 2500, 7301] {
      let due = MonotonicClock.microseconds + delay
      let timer = try Timer(on: loop) {
        let now = MonotonicClock.microseconds
        if now < due { early.append(due - now) }
        loop.stop()
      }
      timer.set(microseconds: due)
      loop.run()
      timer.close()
      loop.run()
    }
    #expect(early == [])
    #expect(loop.liveHandles == 0)
  }

  @Test func theLastSettingHolds() throws {
    let loop = try Loop()
    var fired = 0
    let timer = try Timer(on: loop) { fired += 1 }
    timer.set(microseconds: MonotonicClock.microseconds)
    timer.set(microseconds: MonotonicClock.microseconds + 2000)
    loop.run()
    #expect(fired == 1)
    timer.set(microseconds: MonotonicClock.microseconds)
    timer.unset()
    loop.run()
    #expect(fired == 1)
    timer.close()
    loop.run()
  }

  @Test func anotherThreadWakesTheLoop() throws {
    let loop = try Loop()
    var woken = 0
    var wakeup: Wakeup?
    wakeup = try Wakeup(on: loop) {
      woken += 1
      wakeup?.close()
    }
    let sender = try #require(wakeup?.sender)
    Task.detached { sender.wake() }
    loop.run()
    #expect(woken == 1)
    // A wake-up that comes too late does no harm.
    sender.wake()
    #expect(loop.liveHandles == 0)
  }
}
