import Dispatch
import Synchronization
import Testing
import UV

/// Work on libuv's threads.
@Suite struct WorkTests {
  private final class Begun: Sendable {
    let count = Atomic(0)
  }

  /// More than libuv has threads.
  private static let pieces = 128

  @Test func leavesOutWhatIsCancelledBeforeItBegins() throws {
    let loop = try Loop()
    let (gate, begun) = (DispatchSemaphore(value: 0), Begun())
    var ends: [Bool] = []
    for _ in 0..<WorkTests.pieces {
      _ = try Work.run(on: loop) {
        gate.wait()
        begun.count.add(1, ordering: .relaxed)
      } end: {
        ends.append($0)
      }
    }
    let last = try Work.run(on: loop) {
      begun.count.add(1000, ordering: .relaxed)
    } end: {
      ends.append($0)
    }
    last.cancel()
    // All threads still wait: only the cancelled piece can end.
    loop.runOnce()
    #expect(ends == [false])
    last.cancel()
    for _ in 0..<WorkTests.pieces { gate.signal() }
    loop.run()
    #expect(ends == [false] + Array(repeating: true, count: WorkTests.pieces))
    #expect(begun.count.load(ordering: .relaxed) == WorkTests.pieces)
  }
}
