internal import BatonCore
internal import UV

/// A socket that ends: what is left to write goes out, then its side is ended. What the peer still sends is dropped for
/// a while, because closing a socket with unread bytes could take the last words from the peer.
final class LingeringSocket: TimedSocket, TransportOwner {
  let address: String
  /// Its place among those that end; -1 if it makes room.
  private var lingeringPlace = -1
  private let transport: any Transport
  private let door: HTTPDoor
  private let writer: SocketWriter
  private var dropped = 0
  private var hasEnded = false
  /// Whether the peer has ended its side.
  private var hasStopped = false

  init(_ transport: any Transport, _ writer: SocketWriter, address: String, door: HTTPDoor) {
    self.transport = transport
    self.writer = writer
    self.address = address
    self.door = door
  }

  /// Takes the transport over. Of too many, the oldest of the owner with the most makes room: so nobody who ends sockets by
  /// the thousand keeps others from the door, or from their last answers.
  func begin(of owner: Owner) {
    door.add(self)
    lingeringPlace = door.lingering.append(self, of: owner)
    if door.lingering.count > door.limits.mostLingering { door.lingering.oldestOfMost()?.makeRoom() }
    transport.handOver(to: self)
    try? transport.setReading(true)
    door.set(self, after: writer.isEmpty ? door.limits.linger : door.limits.slow)
    endIfWritten()
  }

  private func endIfWritten() {
    guard writer.isEmpty, !hasEnded, !transport.isClosing else { return }
    hasEnded = true
    do throws(TransportError) { try transport.endWriting() } catch { transport.close() }
  }

  private func makeRoom() {
    leaveLingering()
    transport.close()
  }

  private func leaveLingering() {
    if lingeringPlace >= 0 { door.lingering.remove(at: lingeringPlace) }
    lingeringPlace = -1
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    dropped += bytes.count
    if dropped > HTTPLimits.mostDropped { return transport.close() }
    guard !hasStopped, !transport.isClosing else { return }
    try? transport.setReading(false)
    door.readOnLater(self, dropped: bytes.count)
  }

  /// What the peer still sends is read in one of the next turns.
  override func goOn() {
    isWaiting = false
    guard !hasStopped, !transport.isClosing else { return }
    try? transport.setReading(true)
  }

  func wrote(_ count: Int) {
    do throws(TransportError) { _ = try writer.wrote(count) } catch { return transport.close() }
    door.set(self, after: writer.isEmpty ? door.limits.linger : door.limits.slow)
    endIfWritten()
  }

  /// A peer that reads gets the rest; the clock ends the others.
  func ended() {
    hasStopped = true
    if writer.isEmpty { transport.close() } else { try? transport.setReading(false) }
  }
  func failed(_ reason: String) { transport.close() }

  func closed() {
    leaveLingering()
    door.remove(self)
  }

  func shookHands(_ facts: PeerFacts) {}

  override var isWritingLast: Bool { !writer.isEmpty }
  override func clockRings(at now: Instant) { transport.close() }
  override func closeNow() { transport.close() }
}
