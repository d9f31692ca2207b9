import UV

/// One connection of the load.
class LoadPeer: LinePeer {
  let load: Load

  /// A connection that is being opened.
  init(_ load: Load) throws {
    self.load = load
    super.init(try load.connect())
    load.peers.append(self)
  }

  override func hears() { load.now = MonotonicClock.nanoseconds }
  override func took(_ line: UnsafeRawBufferPointer) { load.fail(BenchFailure(unexpected: line)) }
  override func wantsFlush() { load.unflushed.append(self) }
  override func lost(_ words: String) { load.fail(BenchFailure(words)) }
}
