internal import BatonCore
internal import UV

/// Plain sockets carry lines as they are: a libuv stream is a transport by itself.
extension UV.Stream: Transport {
  var peer: String { peerAddress?.description ?? "unix" }
  var isWriting: Bool { writing != nil }
  var isReady: Bool { true }

  func attach(_ owner: any TransportOwner) { self.owner = owner }
  func handOver(to owner: any TransportOwner) { self.owner = owner }

  func take(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
    do throws(UVError) { return try tryWrite(buffers) } catch { throw TransportError(error) }
  }

  func takeAll(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) {
    do throws(UVError) { try write(buffers) } catch { throw TransportError(error) }
  }

  func endWriting() throws(TransportError) {
    takeLittle()
    do throws(UVError) { try shutDown() } catch { throw TransportError(error) }
  }

  func readNow() { takeAtHand(upTo: Loop.readBufferSize) }

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
