import FuzzKit
import Testing

@testable import BatonCore

/// Lines that several outboxes take without copying them.
@Suite struct SharedLinesTests {
  private func line(_ bytes: [UInt8], in lines: inout SharedLines) -> SharedLine {
    let memory = lines.reserve(bytes.count + 100)
    bytes.withUnsafeBytes { if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: $0.count) } }
    return lines.commit(upTo: memory + bytes.count)
  }

  private func unsent(_ outbox: borrowing Outbox) -> (pieces: [UnsafeRawBufferPointer], bytes: [UInt8]) {
    let buffers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 1000)
    defer { buffers.deallocate() }
    let pieces = Array(buffers[..<outbox.unsent(atMost: .max, into: buffers).used])
    return (pieces, Array(pieces.joined()))
  }

  @Test func standOnceForAllWhoTakeThem() {
    var lines = SharedLines()
    var one = Outbox()
    var other = Outbox()
    for byte in UInt8(1)...3 {
      let line = line([byte, byte], in: &lines)
      one.append(line)
      if byte != 2 { other.append(line) }
    }
    let (all, some) = (unsent(one), unsent(other))
    #expect(all.bytes == [1, 1, 2, 2, 3, 3] && all.pieces.count == 1, "neighbours are one piece")
    #expect(some.bytes == [1, 1, 3, 3] && some.pieces.count == 2)
    #expect(some.pieces[0].baseAddress == all.pieces[0].baseAddress)
  }

  @Test func areWrittenOverOnceNobodyHoldsThem() {
    var lines = SharedLines()
    var pool = BlockPool()
    var outbox = Outbox()
    outbox.append(line([1], in: &lines))
    let before = unsent(outbox).pieces[0].baseAddress
    let next = line([2], in: &lines).bytes.baseAddress
    #expect(next != before)
    outbox.consume(1, into: &pool)
    let again = line([3], in: &lines).bytes.baseAddress
    #expect(again == before)
  }

  /// Otherwise a peer that reads nothing would keep in memory what the others have read.
  @Test func areCopiedWhereTheKernelDoesNotTakeThem() {
    var lines = SharedLines()
    var pool = BlockPool()
    var outbox = Outbox()
    let first = line([UInt8](repeating: 7, count: 9000), in: &lines)
    outbox.append(first)
    outbox.append(line([UInt8](repeating: 8, count: 9000), in: &lines))
    let own = outbox.reserve(1, from: &pool)
    own.storeBytes(of: 9, as: UInt8.self)
    outbox.commit(upTo: own + 1)
    let takesMore = outbox.takesSharedLines
    #expect(!takesMore, "or lines would change places")
    outbox.consume(0, into: &pool)
    let left = unsent(outbox)
    let expected = [UInt8](repeating: 7, count: 9000) + [UInt8](repeating: 8, count: 9000) + [9]
    #expect(left.bytes == expected)
    #expect(!left.pieces.contains { $0.baseAddress == first.bytes.baseAddress })
    #expect(left.pieces.last?.baseAddress == UnsafeRawPointer(own), "what is its own stays where it is")
    let again = line([1], in: &lines).bytes.baseAddress
    outbox.clear(into: &pool)
    let emptied = line([1], in: &lines).bytes.baseAddress
    #expect(again == emptied, "nobody holds them any more")
  }

  /// A long line takes no memory and no time of a peer's own, however little the peer reads.
  @Test func longOnesAreNeverCopied() {
    var lines = SharedLines()
    var pool = BlockPool()
    var outbox = Outbox()
    let short = [UInt8](repeating: 6, count: 1000)
    var bytes: [UInt8] = []
    var long: [UnsafeRawPointer?] = []
    outbox.append(line(short, in: &lines))
    bytes += short
    for byte in UInt8(1)...3 {
      let piece = [UInt8](repeating: byte, count: 50_000)
      let line = line(piece, in: &lines)
      let isLong = line.isLong
      #expect(isLong)
      outbox.append(line)
      lines.endLine()
      long.append(line.bytes.baseAddress)
      outbox.consume(byte == 2 ? 500 : 0, into: &pool)
      let own = outbox.reserve(2, from: &pool)
      own.storeBytes(of: 9, as: UInt8.self)
      outbox.commit(upTo: own + 1)
      bytes += piece + [9]
    }
    let left = unsent(outbox)
    #expect(left.bytes == Array(bytes[500...]))
    #expect(left.pieces.count { long.contains($0.baseAddress) } == 3)
    outbox.consume(left.bytes.count - 10, into: &pool)
    let end = unsent(outbox).bytes
    #expect(end == Array(bytes.suffix(10)))
  }

  /// One peer holds no more memory than twice what waits for it.
  @Test func linesThatLeaveTheirBlocksEmptyAreNotLong() {
    var lines = SharedLines()
    let memory = lines.reserve(100_000)
    let line = lines.commit(upTo: memory + 40_000)
    #expect(!line.isLong)
    lines.endLine()
  }

  /// What is shared is copied in one call when the kernel does not take it. So it is not much.
  @Test func areNotTakenWithoutLimit() {
    var lines = SharedLines()
    var pool = BlockPool()
    var outbox = Outbox()
    var bytes: [UInt8] = []
    for number in 0..<1000 where outbox.takesSharedLines {
      let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 5000)
      outbox.append(line(piece, in: &lines))
      bytes += piece
    }
    let (count, takesMore) = (outbox.count, outbox.takesSharedLines)
    #expect(!takesMore && count > Outbox.mostShared && count <= Outbox.mostShared + 2 * SharedBlock.usual)
    let own = outbox.reserve(1, from: &pool)
    own.storeBytes(of: 9, as: UInt8.self)
    outbox.commit(upTo: own + 1)
    outbox.consume(100, into: &pool)
    let left = unsent(outbox).bytes
    #expect(left == bytes[100...] + [9])
    outbox.clear(into: &pool)
    let takesAgain = outbox.takesSharedLines
    #expect(takesAgain)
  }

  @Test func comeOutAsTheyWentIn() {
    var generator = SeededGenerator(seed: 5)
    var lines = SharedLines()
    var pool = BlockPool()
    let outboxes = UnsafeMutablePointer<Outbox>.allocate(capacity: 3)
    for index in 0..<3 { (outboxes + index).initialize(to: Outbox()) }
    defer {
      outboxes.deinitialize(count: 3)
      outboxes.deallocate()
    }
    var models: [[UInt8]] = [[], [], []]
    for step in 0..<1000 {
      let length = Int.random(in: 0...(step % 50 == 0 ? 200_000 : 3000), using: &generator)
      let piece = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ step) }
      let shared = line(piece, in: &lines)
      for index in 0..<3 where Int.random(in: 0..<4, using: &generator) > 0 {
        if outboxes[index].takesSharedLines || shared.isLong, index > 0 || step % 3 > 0 {
          outboxes[index].append(shared)
        } else {
          let memory = outboxes[index].reserve(length, from: &pool)
          shared.bytes.copyBytes(to: UnsafeMutableRawBufferPointer(start: memory, count: length))
          outboxes[index].commit(upTo: memory + length)
        }
        models[index] += piece
      }
      lines.endLine()
      let index = step % 3
      let gone = step % 4 == 0 ? models[index].count : Int.random(in: 0...models[index].count, using: &generator)
      outboxes[index].consume(gone, into: &pool)
      models[index].removeFirst(gone)
      for index in 0..<3 where unsent(outboxes[index]).bytes != models[index] { Issue.record("step \(step)") }
    }
  }
}
