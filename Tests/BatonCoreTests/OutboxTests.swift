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
    let used = outbox.unsent(into: buffers)
    return Array(buffers[..<used].joined())
  }

  @Test func whatIsReservedCountsOnlyAsFarAsItIsCommitted() {
    var outbox = Outbox()
    var pool = BlockPool()
    write([1, 2], to: &outbox, room: 100_000, from: &pool)
    write([3], to: &outbox, room: 10, from: &pool)
    let (count, bytes) = (outbox.count, unsent(outbox))
    #expect(count == 3 && bytes == [1, 2, 3])
  }

  /// The kernel may still use an address that was given out. So the bytes there must not move when more is written.
  @Test func unsentBytesStayWhereTheyAre() {
    var outbox = Outbox()
    var pool = BlockPool()
    write([1, 2, 3], to: &outbox, from: &pool)
    let buffers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 1)
    defer { buffers.deallocate() }
    _ = outbox.unsent(into: buffers)
    let address = buffers[0].baseAddress
    for _ in 0..<10 { write([UInt8](repeating: 4, count: 10_000), to: &outbox, from: &pool) }
    _ = outbox.unsent(into: buffers)
    #expect(buffers[0].baseAddress == address && buffers[0].starts(with: [1, 2, 3]))
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
