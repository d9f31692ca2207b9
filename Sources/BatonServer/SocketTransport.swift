internal import BatonCore
internal import UV

/// Plain sockets carry lines as they are: a libuv stream is a transport by itself.
extension UV.Stream: Transport {
  var peer: String { peerAddress?.description ?? "unix" }
  var isReady: Bool { true }
  var mostAtOnce: Int { 288 << 10 }

  func attach(_ owner: any TransportOwner) { self.owner = owner }
  func handOver(to owner: any TransportOwner) { self.owner = owner }

  func take(_ unsent: borrowing Unsent) throws(TransportError) -> Int {
    guard !isWriting else { return 0 }
    do throws(UVError) {
      let taken = try tryWrite(unsent.pieces)
      if taken < unsent.count { try wait(behind: taken, of: unsent) }
      return taken
    } catch {
      throw TransportError(error)
    }
  }

  /// The kernel takes no more: a copy of the next few bytes waits until it does. So nobody needs the memory of the others, and
  /// the end of that write says that they can follow.
  private func wait(behind taken: Int, of unsent: borrowing Unsent) throws(UVError) {
    var passed = taken
    for piece in unsent.pieces {
      if passed < piece.count {
        return try write(copyOf: UnsafeRawBufferPointer(rebasing: piece[passed...].prefix(UV.Stream.waitingBytes)))
      }
      passed -= piece.count
    }
  }

  private static let waitingBytes = 128

  func endWriting() throws(TransportError) {
    takeLittle()
    do throws(UVError) { try shutDown() } catch { throw TransportError(error) }
  }

  func readNow() { takeAtHand(upTo: Loop.littleReadSize) }

  func setReading(_ isWanted: Bool) throws(TransportError) {
    guard isWanted else { return stopReading() }
    do throws(UVError) { try startReading() } catch { throw TransportError(error) }
  }
}

extension PeerConnection: TransportOwner {
  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) { received(bytes) }
  func ended(_ stream: UV.Stream) { ended() }
  func wrote(_ count: Int, to stream: UV.Stream) { wrote(count) }
  func failed(_ stream: UV.Stream, _ error: UVError) { failed(error.description) }
  func closed(_ stream: UV.Stream) { closed() }

  func shookHands(_ facts: PeerFacts) { server.shookHands(id, facts) }
}

extension TransportError {
  fileprivate init(_ error: UVError) { self.init(description: error.description) }
}
