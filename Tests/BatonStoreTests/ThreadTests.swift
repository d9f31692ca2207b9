import BatonLasting
import BatonStore
import Synchronization
import Testing

/// The thread of a store: what is given is answered in order, and all of it before the end.
@Suite struct ThreadTests {
  @Test func allThatWasGivenIsAnsweredBeforeTheEnd() throws {
    let place = try Place()
    let wakes = Mutex(0)
    let thread = try StoreThread(Store(path: place.file)) { wakes.withLock { $0 += 1 } }
    for number in UInt64(1)...300 {
      let insert = StoreChange.insert(Made.message(number), Made.content(), once: nil)
      thread.give([.write(StoreWrite(generation: 1, number: number, change: insert)), .load(number)])
    }
    thread.close()
    #expect(thread.waitForEnd(milliseconds: 60_000))
    var (stored, loaded) = (UInt64(0), UInt64(0))
    for answer in thread.takeAnswers() {
      switch answer {
      case .storedUpTo(let number):
        #expect(number > stored)
        stored = number
      case .loaded(let row, .content):
        loaded += 1
        #expect(row == loaded && row <= stored)
      case .hasFree(let bytes, _): #expect(bytes > 0)
      default: Issue.record("\(answer)")
      }
    }
    #expect(wakes.withLock { $0 } > 0)
    #expect(stored == 300 && loaded == 300 && thread.hasEnded)
    #expect(try place.open().rows().count == 300)
  }
}
