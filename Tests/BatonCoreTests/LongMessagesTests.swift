import DoorKit
import FuzzKit
import Testing

@testable import BatonCore

/// The members of a long message stand once in memory, for all offers that wait: outboxes refer to them.
@Suite struct LongMessagesTests {
  private static let long = 10_000

  private func unsent(_ outbox: borrowing Outbox) -> [UInt8] {
    let buffers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 10_000)
    defer { buffers.deallocate() }
    return Array(buffers[..<outbox.unsent(atMost: .max, into: buffers).used].joined())
  }

  private func write(_ bytes: [UInt8], to outbox: inout Outbox, from pool: inout BlockPool) {
    let memory = outbox.reserve(bytes.count, from: &pool)
    bytes.withUnsafeBytes { if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: $0.count) } }
    outbox.commit(upTo: memory + bytes.count)
  }

  /// Offers and short lines in any order, taken in pieces of any size: what is unsent comes as it went in, and each block
  /// is held, whole, until its last byte has gone.
  @Test func comeOutAsTheyWentInAndCountAsLongAsTheyAreHeld() {
    var generator = SeededGenerator(seed: 5)
    var outbox = Outbox()
    var pool = BlockPool()
    var model: [UInt8] = []
    // Where each block's members end, counted from the first byte of all, and the bytes that it holds.
    var blocks: [(start: Int, end: Int, capacity: Int)] = []
    var gone = 0
    for step in 0..<3000 {
      if step % 3 == 0 {
        let block = SharedBlock(room: 5000)
        let bytes = (0..<Int.random(in: 1...4800, using: &generator)).map { UInt8(truncatingIfNeeded: $0 &+ step) }
        (block.memory + SharedBlock.header + 60).copyMemory(from: bytes, byteCount: bytes.count)
        let start = SharedBlock.header + 60
        let before = outbox.held
        let more = outbox.share(SharedLine(block: block, start: start, end: start + bytes.count))
        let after = outbox.held
        block.letGo()
        #expect(more == block.capacity && after - before == more)
        blocks.append((gone + model.count, gone + model.count + bytes.count, block.capacity))
        model += bytes
      } else {
        let piece = (0..<Int.random(in: 0...700, using: &generator)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ step) }
        write(piece, to: &outbox, from: &pool)
        model += piece
      }
      let taken = Int.random(in: 0...min(model.count, 2500), using: &generator)
      outbox.consume(taken, into: &pool)
      model.removeFirst(taken)
      gone += taken
      blocks.removeAll { $0.end <= gone }
      let surplus = blocks.reduce(0) { $0 + $1.capacity - ($1.end - max($1.start, gone)) }
      let (count, held) = (outbox.count, outbox.held)
      #expect(count == model.count && held == count + surplus, "step \(step)")
      if step % 100 == 0 {
        let there = unsent(outbox)
        #expect(there == model, "step \(step)")
      }
    }
    outbox.clear(into: &pool)
    let (count, held) = (outbox.count, outbox.held)
    #expect(count == 0 && held == 0)
  }

  /// The first of the handlers is a shadow, so that the next one has its offer at the same time.
  private func stage(handlers: Int) -> Stage {
    let stage = Stage()
    stage.open("s")
    for number in 0..<handlers {
      stage.open("h\(number)")
      stage.say("h\(number)", #"{"op":"insert","handler":"h\#(number)","shadow":\#(number == 0),"reply":false}"#)
    }
    return stage
  }

  private func send(_ stage: Stage, _ payload: String, more: String = "") {
    stage.say("s", #"{"op":"send","topic":"t","id":1,"payload":"\#(payload)"\#(more)}"#)
  }

  /// With two handlers, what waits for both takes one payload more than nothing, and not two.
  @Test(arguments: [3000, long])
  func offersReferToThem(_ bytes: Int) {
    let stage = stage(handlers: 2)
    let payload = String(repeating: "x", count: bytes)
    send(stage, payload)
    let places = ["h0", "h1"].map { name in
      let buffers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 10)
      defer { buffers.deallocate() }
      var long: Set<UnsafeRawPointer?> = []
      _ = stage.driver.router.write(to: stage.id(name), atMost: .max, in: buffers, at: stage.now) { unsent in
        long = Set(unsent.pieces.filter { $0.count > bytes }.map(\.baseAddress))
        return nil
      }
      return long
    }
    #expect(places.allSatisfy { $0.count == 1 })
    #expect((places[0] == places[1]) == (bytes == Self.long))
    for name in ["h0", "h1"] { #expect(stage.hear(name).last?.member("payload") == payload) }
  }

  /// A message has ended, and its offers wait still: who does not read them holds the block, and owes it.
  @Test func aSlowReaderOwesTheBlockAfterTheEnd() {
    let stage = stage(handlers: 2)
    send(stage, String(repeating: "x", count: Self.long))
    stage.hear("h0")
    let before = stage.driver.router.unsentBytes
    #expect(before > stage.unsent("h1"), "the block is more than what waits of it")
    stage.say("s", #"{"op":"cancel","request":1,"reply":false}"#)
    #expect(stage.hear("s").last?.contains("cancelled") == true)
    #expect(stage.driver.router.unsentBytes >= before && stage.driver.router.unsentDifference == nil)
    // A part that was taken gives nothing back.
    stage.take("h1", atMost: 5000)
    #expect(stage.driver.router.unsentBytes > Self.long && stage.driver.router.unsentDifference == nil)
    for name in ["h0", "h1", "s"] { stage.hear(name) }
    #expect(stage.driver.router.unsentBytes == 0)
  }

  /// A link rewrites the payload: the next one gets the other, and the first handler's offer stays as it was.
  @Test func aRewrittenPayloadIsNotShared() {
    let stage = Stage()
    stage.open("s", "a", "b")
    stage.say("a", #"{"op":"insert","handler":"a","rank":1,"reply":false}"#)
    stage.say("b", #"{"op":"insert","handler":"b","rank":2,"reply":false}"#)
    let (old, new) = (String(repeating: "x", count: Self.long), String(repeating: "y", count: Self.long))
    send(stage, old)
    let offer = stage.hear("a").last
    #expect(offer?.member("payload") == old)
    stage.say("a", #"{"op":"continue","id":1,"payload":"\#(new)"}"#)
    #expect(stage.hear("b").last?.member("payload") == new)
    stage.closeAll()
    #expect(stage.driver.router.unsentBytes == 0)
  }

  @Test(.enabled(if: Spare.isKept)) func memoryOfThreeSizesIsUsedAgain() {
    var pool = MessagePool()
    for count in [1, 512, 513, 1024, 1025, 2048] {
      var first = pool.take(count)
      let place = first.start
      pool.give(&first)
      let second = pool.take(count)
      let again = second.start
      #expect(again == place, "\(count)")
    }
    let long = pool.take(5000)
    let isShared = long.block != nil
    let middle = pool.take(2049)
    let isAlone = middle.block == nil
    #expect(isShared && isAlone)
  }
}
