import BatonCore
import Testing

@testable import BatonServer

/// The times of the doors' sockets: each is called when it is due, the earliest first, and never when it is not.
@Suite struct SocketClockTests {
  @Test func socketsAreCalledInTheOrderOfTheirTimes() {
    var clock = SocketClock()
    let sockets = (0..<200).map { _ in TimedSocket() }
    var due: [ObjectIdentifier: Int64] = [:]
    for (number, socket) in sockets.enumerated() {
      for round in 0..<3 {
        let time = Int64((number * 7919 + round * 104_729) % 1000)
        _ = clock.set(socket, at: Instant(microseconds: time))
        due[ObjectIdentifier(socket)] = time
      }
    }
    for socket in sockets[..<50] {
      clock.remove(socket)
      due[ObjectIdentifier(socket)] = nil
    }
    for socket in sockets[50..<60] {
      _ = clock.set(socket, at: TimedSocket.never)
      due[ObjectIdentifier(socket)] = nil
    }
    for time in stride(from: Int64(0), through: 1000, by: 10) {
      while let socket = clock.popDue(at: Instant(microseconds: time)) {
        let known = due.removeValue(forKey: ObjectIdentifier(socket))
        #expect(known.map { $0 <= time && $0 > time - 10 } == true)
      }
    }
    #expect(due.isEmpty)
    #expect(clock.next == nil)
  }

  @Test func aLaterTimeIsNoReasonToWakeUpSooner() {
    var clock = SocketClock()
    let socket = TimedSocket()
    let isSooner = clock.set(socket, at: Instant(microseconds: 100))
    #expect(isSooner)
    let isSoonerStill = clock.set(socket, at: Instant(microseconds: 500))
    #expect(!isSoonerStill)
    let early = clock.popDue(at: Instant(microseconds: 200))
    #expect(early == nil)
    #expect(clock.next == Instant(microseconds: 500))
    let due = clock.popDue(at: Instant(microseconds: 500))
    #expect(due === socket)
  }
}
