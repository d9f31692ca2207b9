import ProgramKit
import Testing
import UV

/// Streams over a Unix socket of this process, one loop for both ends.
@Suite struct StreamTests {
  /// Accepts one connection and writes to it until everything is written.
  final class Writer: ListenerOwner, StreamOwner {
    let bytes: [UInt8]
    var stream: UV.Stream?
    var written = 0
    var pendingWrites = 0
    let memory: UnsafeMutableRawBufferPointer

    init(_ count: Int) {
      bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      memory = .allocate(byteCount: count, alignment: 1)
      memory.copyBytes(from: bytes)
    }

    deinit { memory.deallocate() }

    func accepted(_ stream: UV.Stream, by listener: Listener) {
      listener.close()
      self.stream = stream
      stream.owner = self
      carryOn()
    }

    func carryOn() {
      guard let stream, written < memory.count else { return close() }
      do {
        let rest = UnsafeRawBufferPointer(rebasing: memory[written...])
        let halves = [
          UnsafeRawBufferPointer(rebasing: rest[..<(rest.count / 2)]),
          UnsafeRawBufferPointer(rebasing: rest[(rest.count / 2)...]),
        ]
        let taken = try halves.withUnsafeBufferPointer { try stream.tryWrite($0) }
        written += taken
        guard taken < rest.count else { return close() }
        pendingWrites += 1
        let left = [UnsafeRawBufferPointer(rebasing: memory[written...].prefix(100_000))]
        try left.withUnsafeBufferPointer { try stream.write($0) }
      } catch {
        Issue.record(error)
        stream.close()
      }
    }

    private func close() {
      stream?.close()
      stream?.close()
    }

    func wrote(_ count: Int, to stream: UV.Stream) {
      written += count
      carryOn()
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) { Issue.record("nothing was sent here") }
    func ended(_ stream: UV.Stream) {}
    func failed(_ listener: Listener, _ error: UVError) { Issue.record(error) }
    func turnedAway(by listener: Listener, _ error: UVError) { Issue.record(error) }
    func failed(_ stream: UV.Stream, _ error: UVError) { Issue.record(error) }
    func closed(_ stream: UV.Stream) { self.stream = nil }
  }

  /// Connects and reads to the end.
  final class Reader: StreamOwner {
    var got: [UInt8] = []
    /// The bytes of each read.
    var reads: [Int] = []
    var error: UVError?
    var hasEnded = false
    var closedCount = 0

    func connected(_ stream: UV.Stream) {
      do throws(UVError) { try stream.startReading() } catch { Issue.record(error) }
    }
    func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
      reads.append(bytes.count)
      got.append(contentsOf: bytes)
    }
    func ended(_ stream: UV.Stream) {
      hasEnded = true
      stream.close()
    }
    func wrote(_ count: Int, to stream: UV.Stream) {}
    func failed(_ stream: UV.Stream, _ error: UVError) {
      self.error = error
      stream.close()
    }
    func closed(_ stream: UV.Stream) { closedCount += 1 }
  }

  @Test func whatTheKernelDoesNotTakeAtOnceArrivesInOrder() throws {
    let path = freshPath()
    let loop = try Loop()
    let writer = Writer(3_000_000)
    try Listener.bound(toPath: path, on: loop).listen(owner: writer)
    let reader = Reader()
    let stream = try UV.Stream(.unix, on: loop)
    stream.owner = reader
    stream.connect(toPath: path)
    loop.run()
    #expect(reader.got == writer.bytes)
    #expect(reader.hasEnded)
    #expect(reader.closedCount == 1)
    #expect(writer.pendingWrites > 0)
    #expect(loop.liveHandles == 0)
  }

  /// The kernel has more than a little read takes when the reader comes to it.
  @Test(arguments: ["little", "little on the whole loop", "much"])
  func oneReadBringsNoMoreThanItMay(_ size: String) throws {
    let path = freshPath()
    let loop = try Loop()
    let writer = Writer(3_000_000)
    try Listener.bound(toPath: path, on: loop).listen(owner: writer)
    let reader = Reader()
    let stream = try UV.Stream(.unix, on: loop)
    stream.readsLittle = size == "little"
    loop.readsLittle = size == "little on the whole loop"
    stream.owner = reader
    stream.connect(toPath: path)
    loop.run()
    #expect(reader.got == writer.bytes)
    let most = try #require(reader.reads.max())
    if size == "much" {
      #expect(most > Loop.littleReadSize && most <= Loop.readBufferSize)
    } else {
      #expect(most == Loop.littleReadSize)
    }
  }

  /// A turn comes after a megabyte that was read, in however few reads.
  @Test func muchThatIsReadLetsOthersHaveTheirTurn() throws {
    let path = freshPath()
    let loop = try Loop()
    let writer = Writer(3_000_000)
    try Listener.bound(toPath: path, on: loop).listen(owner: writer)
    let reader = Reader()
    let stream = try UV.Stream(.unix, on: loop)
    stream.owner = reader
    var turns: [Int] = []
    loop.callBetweenReads {
      turns.append(reader.got.count)
      loop.noteTurn()
    }
    stream.connect(toPath: path)
    loop.run()
    #expect(turns.count == 2 && reader.reads.count < 256)
    let megabyte = 1 << 20
    #expect((megabyte..<megabyte + Loop.readBufferSize).contains(try #require(turns.first)))
  }

  @Test func nobodyThereIsToldToTheOwner() throws {
    let loop = try Loop()
    let reader = Reader()
    let stream = try UV.Stream(.unix, on: loop)
    stream.owner = reader
    stream.connect(toPath: freshPath())
    loop.run()
    #expect(reader.error == .noSuchFile)
    #expect(loop.liveHandles == 0)
  }

  @Test func anOpenHandleCountsUntilItIsClosedToTheEnd() throws {
    let loop = try Loop()
    weak var forgotten: UV.Stream?
    do {
      let stream = try UV.Stream(.tcp, on: loop)
      forgotten = stream
    }
    #expect(forgotten != nil)
    #expect(loop.liveHandles == 1)
    forgotten?.close()
    #expect(loop.liveHandles == 1)
    loop.run()
    #expect(loop.liveHandles == 0)
    #expect(forgotten == nil)
  }

  @Test func aTakenPortIsAnErrorWithNothingLeftBehind() throws {
    let loop = try Loop()
    let owner = Writer(0)
    let first = try Listener.bound(to: Address(numericHost: "127.0.0.1", port: 0), on: loop)
    try first.listen(owner: owner)
    let address = try #require(first.address)
    #expect(address.port != 0)
    #expect(throws: UVError.addressInUse) { try Listener.bound(to: address, on: loop).listen(owner: owner) }
    first.close()
    loop.run()
    #expect(loop.liveHandles == 0)
  }
}
