import BatonLasting
import Testing

@testable import BatonStore

/// A store that another program reads for long: what is held of its log, and who holds it.
@Suite struct ReadersTests {
  /// The list of Linux, with a lock that waits, locks of other files, of other bytes, of other kinds and of this process.
  private static let list = """
    1: POSIX  ADVISORY  READ 11 fd:01:700 124 124
    2: POSIX  ADVISORY  READ 12 fd:01:77 128 128
    3: FLOCK  ADVISORY  WRITE 13 fd:01:77 0 EOF
    4: -> POSIX ADVISORY WRITE 14 fd:01:77 124 124
    5: OFDLCK ADVISORY  WRITE -1 fd:01:77 123 127
    6: POSIX  ADVISORY  READ 15 fd:01:77 124 124
    7: POSIX  ADVISORY  READ 0 fd:01:77 125 125
    8: POSIX  ADVISORY  READ 16 fd:01:77 125 125

    """

  @Test func theProcessWithALockOfAReaderIsFound() {
    #expect(StoreReaders.first(in: Self.list, inode: 77, but: 15) == 16)
    #expect(StoreReaders.first(in: Self.list, inode: 77, but: 16) == 15)
    #expect(StoreReaders.first(in: Self.list, inode: 70, but: 15) == nil)
    #expect(StoreReaders.first(in: "", inode: 77, but: 15) == nil)
  }

  @Test func whatAReaderHoldsIsTakenInWhenItHasGone() throws {
    let place = try Place()
    let store = try place.open()
    var generation: UInt64 = 0
    var number: UInt64 = 0
    func insert(_ count: Int) {
      for _ in 0..<count {
        number += 1
        let change = StoreChange.insert(
          Made.message(number), Made.content(String(repeating: "1", count: 200_000)), once: nil)
        _ = store.carryOut([.write(StoreWrite(generation: 1, number: number, change: change))], from: &generation)
      }
    }
    insert(1)
    let reader = try Database(path: place.file, isWritten: false)
    try reader.run("BEGIN")
    #expect(try reader.number("SELECT count(*) FROM message") == 1)
    insert(120)
    let held = store.tryHeldLog()
    #expect(store.isLogHeld && held.heldBytes > 16 << 20 && held.bytes > held.heldBytes && held.error == nil)
    #expect(!held.isTooLong && held.reader == nil)
    try reader.run("COMMIT")
    let taken = store.tryHeldLog()
    #expect(!store.isLogHeld && taken.heldBytes == 0)
    // The log is begun anew.
    insert(1)
    #expect(store.tryHeldLog().heldBytes == 0)
    reader.close()
    store.close()
  }
}
