internal import BatonCore
internal import UV

/// A socket that ends: what is left to write goes out, then its side is ended. What the peer still sends is dropped for
/// a while, because closing a socket with unread bytes could take the last words from the peer.
final class LingeringSocket: TimedSocket, TransportOwner {
  let address: String
  /// Its place among those that never said who they are; -1 if it is none.
  private var strangersPlace = -1
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

  /// Takes the transport over. A socket that never said who it is makes room for the next of its kind.
  func begin(isKnown: Bool = true) {
    door.add(self)
    door.lingering += 1
    if !isKnown { strangersPlace = door.lingeringStrangers.append(self) }
    if door.lingeringStrangers.count > HTTPLimits.mostLingeringStrangers {
      door.lingeringStrangers.oldest?.makeRoom()
    }
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
    leaveStrangers()
    transport.close()
  }

  private func leaveStrangers() {
    if strangersPlace >= 0 { door.lingeringStrangers.remove(at: strangersPlace) }
    strangersPlace = -1
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
    do throws(TransportError) { _ = try writer.wrote() } catch { return transport.close() }
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
    door.lingering -= 1
    leaveStrangers()
    door.remove(self)
  }

  func shookHands(_ facts: PeerFacts) {}

  override var isWritingLast: Bool { !writer.isEmpty }
  override func clockRings(at now: Instant) { transport.close() }
  override func closeNow() { transport.close() }
}
