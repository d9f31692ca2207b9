import FuzzKit
import Testing

@testable import BatonCore

/// The bytes that wait to be written to one connection.
@Suite struct OutboxTests {
  private func write(_ bytes: [UInt8], to outbox: inout Outbox, room: Int? = nil, from pool: inout BlockPool) {
    let memory = outbox.reserve(room ?? bytes.count, from: &pool)
    bytes.withUnsafeBytes { if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: $0.count) } }
    outbox.commit(upTo: memory + bytes.count)
  }

  private func unsent(_ outbox: borrowing Outbox, buffers count: Int = 1000) -> [UInt8] {
    let buffers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: count)
    defer { buffers.deallocate() }
    return Array(buffers[..<outbox.unsent(atMost: .max, into: buffers).used].joined())
  }

  @Test func whatIsReservedCountsOnlyAsFarAsItIsCommitted() {
    var outbox = Outbox()
    var pool = BlockPool()
    write([1, 2], to: &outbox, room: 100_000, from: &pool)
    write([3], to: &outbox, room: 10, from: &pool)
    let (count, bytes) = (outbox.count, unsent(outbox))
    #expect(count == 3 && bytes == [1, 2, 3])
  }

  @Test func asMuchIsShownAsIsAskedFor() {
    var outbox = Outbox()
    var pool = BlockPool()
    for byte in UInt8(1)...4 { write([UInt8](repeating: byte, count: 10_000), to: &outbox, from: &pool) }
    let buffers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 8)
    defer { buffers.deallocate() }
    for most in [0, 1, 9_999, 10_000, 10_001, 39_999, 40_000, .max] {
      let shown = outbox.unsent(atMost: most, into: buffers)
      let bytes = Array(buffers[..<shown.used].joined())
      #expect(shown.bytes == min(most, 40_000) && bytes == Array(outbox.copy(from: 0).prefix(most)), "\(most)")
    }
    let some = UnsafeMutableBufferPointer(rebasing: buffers[..<2])
    let shown = outbox.unsent(atMost: .max, into: some)
    #expect(shown.used == 2 && shown.bytes == some[0].count + some[1].count)
  }

  @Test func aLineIsFoundThroughAllBlocks() {
    var outbox = Outbox()
    var pool = BlockPool()
    let lengths = [3, 0, 40_000, 7]
    for length in lengths { write([UInt8](repeating: 65, count: length) + [10], to: &outbox, from: &pool) }
    write([65, 65], to: &outbox, from: &pool)
    var start = 0
    for length in lengths + [2] {
      #expect(outbox.lengthOfLine(from: start) == length)
      start += length + 1
    }
    #expect(outbox.copy(from: 40_000).count == start - 1 - 40_000)
  }

  @Test func comesOutAsItWentIn() {
    var generator = SeededGenerator(seed: 4)
    var outbox = Outbox()
    var pool = BlockPool()
    var model: [UInt8] = []
    for step in 0..<2000 {
      let length = Int.random(in: 0...(step % 50 == 0 ? 40_000 : 600), using: &generator)
      let piece = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ step) }
      write(piece, to: &outbox, room: length + Int.random(in: 0...5000, using: &generator), from: &pool)
      model += piece
      let gone = Int.random(in: 0...min(model.count, 1500), using: &generator)
      outbox.consume(gone, into: &pool)
      model.removeFirst(gone)
      if step % 100 == 0 {
        let (count, there) = (outbox.count, unsent(outbox, buffers: 10_000))
        #expect(count == model.count && there == model, "step \(step)")
      }
    }
    outbox.clear(into: &pool)
    let (count, left) = (outbox.count, unsent(outbox))
    #expect(count == 0 && left.isEmpty)
  }

  @Test func fillsOnlyTheBuffersThatThereAre() {
    var outbox = Outbox()
    var pool = BlockPool()
    for byte in UInt8(1)...3 { write([UInt8](repeating: byte, count: 20_000), to: &outbox, from: &pool) }
    let two = unsent(outbox, buffers: 2)
    let none = unsent(outbox, buffers: 0)
    #expect(two.count == 40_000 && none.isEmpty)
  }

  @Test(.enabled(if: Spare.isKept)) func blocksAreUsedAgain() {
    var pool = BlockPool()
    let block = pool.take()
    pool.give(block)
    let again = pool.take()
    #expect(again == block)
    pool.give(again)
  }
}
