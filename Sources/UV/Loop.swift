internal import CUV

/// One event loop: waits for its handles and calls them, all on the thread that runs it.
///
/// It knows nothing of what the bytes mean. Loop and handles belong to one thread and are therefore not `Sendable`;
/// `Wakeup` is the one way in from another thread.
public final class Loop {
  let uv: UnsafeMutablePointer<uv_loop_t>
  /// The buffer into which every stream of the loop reads. One is enough, because a read is consumed before the next.
  private let readBuffer: UnsafeMutableRawBufferPointer
  /// How many handles are open; a handle counts until its close callback.
  public internal(set) var liveHandles = 0

  // Unchecked as in `Handle`.
  /// Counts the bytes that streams have read. A read costs however little it brings.
  @exclusivity(unchecked) private var read = 0
  /// How many there were by the last turn, and what a further turn is.
  @exclusivity(unchecked) private var readAtTurn = 0
  @exclusivity(unchecked) private var turn: (() -> Void)?
  /// Bytes after which there is a turn before the next read: 256 short reads take half a millisecond or less.
  private static let bytesOfTurn = 256 * leastRead
  private static let leastRead = 4 << 10
  private var isStopped = false

  /// A descriptor that is closed for a moment if there is none for a new connection, so that this connection can be
  /// told. It is opened before all others, so that its number stays below a limit that is lowered later.
  private var spare: Descriptor?

  /// The most bytes of one read. With many small lines, 256 KiB cost the kernel half of what 64 KiB do for each line; more
  /// saves nothing.
  public static let readBufferSize = 256 << 10
  /// The most bytes of one read where they cost more, or many streams might keep what they have read.
  public static let littleReadSize = 64 << 10
  /// Whether all streams read little.
  @exclusivity(unchecked) public var readsLittle = false

  /// A loop without handles. Throws if the system has no descriptors left.
  public init() throws(UVError) {
    spare = try Descriptor.spare()
    // The first loop of a process makes a pipe beside its own descriptor, and libuv ends the process if it cannot.
    do {
      let first = try Descriptor.spare()
      let second = try Descriptor.spare()
      let third = try Descriptor.spare()
      extendLifetime(first)
      extendLifetime(second)
      extendLifetime(third)
    }
    uv = .allocate(capacity: 1)
    let result = uv_loop_init(uv)
    guard result == 0 else {
      uv.deallocate()
      throw UVError(code: result)
    }
    readBuffer = .allocate(byteCount: Loop.readBufferSize, alignment: 64)
    // Read callbacks find the buffer by the loop's data pointer, without access to an object.
    uv_loop_set_data(uv, readBuffer.baseAddress)
  }

  /// Every open handle keeps its loop alive, so no handle is open here.
  deinit {
    let result = uv_loop_close(uv)
    precondition(result == 0, "a loop was given up with handles still open")
    readBuffer.deallocate()
    uv.deallocate()
  }

  /// Closes the spare descriptor, which makes room for another.
  func giveUpSpare() { spare = nil }

  /// Opens the spare descriptor again.
  func reserveSpare() throws(UVError) { if spare == nil { spare = try Descriptor.spare() } }

  /// Runs until no handle is active, or until `stop`.
  ///
  /// For `spin` microseconds after something was read, it polls the kernel before it waits. Bytes that come in this
  /// time need not wake it.
  public func run(spinning spin: Int64 = 0) {
    guard spin > 0 else {
      uv_run(uv, UV_RUN_DEFAULT)
      return
    }
    isStopped = false
    var readSeen = read
    var lastRead = Int64.min / 2
    while !isStopped {
      let now = MonotonicClock.microseconds
      if read != readSeen { (readSeen, lastRead) = (read, now) }
      let isAwake = now - lastRead < spin
      if uv_run(uv, isAwake ? UV_RUN_NOWAIT : UV_RUN_ONCE) == 0 { return }
    }
  }

  /// Calls `turn` between two reads when so much has come since `noteTurn` that others would wait long. Where more than a
  /// thousand sockets always have something, libuv reads up to 49,152 times before it comes to anything else.
  public func callBetweenReads(_ turn: (() -> Void)?) { self.turn = turn }

  /// All that was read has had its turn.
  public func noteTurn() { readAtTurn = read }

  /// A stream has read so many bytes.
  @inline(__always)
  func noteRead(_ count: Int) { read &+= max(count, Loop.leastRead) }

  /// A read is done, with all that its owner does about it.
  @inline(__always)
  func readIsDone() { if read &- readAtTurn >= Loop.bytesOfTurn { turn?() } }

  /// Waits until something happens, handles it, and returns.
  public func runOnce() { uv_run(uv, UV_RUN_ONCE) }

  /// Makes `run` return after this turn.
  public func stop() {
    isStopped = true
    uv_stop(uv)
  }

  /// The loop's cached time, of the monotonic clock: when it last waited.
  public var milliseconds: Int64 { Int64(truncatingIfNeeded: uv_now(uv)) }

  /// Updates the loop's cached time. Call it after long work; otherwise the next wait would be too long.
  public func updateTime() { uv_update_time(uv) }

  /// Traps if a handle was left open. Call it when the work is done.
  public func assertAllClosed() {
    precondition(liveHandles == 0, "\(liveHandles) handles were never closed")
  }
}
