internal import BatonCore
internal import Proxies
internal import UV

/// A connection of a proxy that has not said yet for whom it speaks. Its header comes before everything else, before the
/// encryption too; then the connection is taken in as that of the client.
final class ProxyGreeting: StreamOwner {
  private let stream: UV.Stream
  /// Where the proxy is. The system does not know it any more when the proxy has gone.
  private let address: UV.Address?
  private let options: ListeningOptions
  private unowned let server: Server
  private var reader = ProxyHeaderReader()
  private var timer: Timer?
  /// Its place among those that wait; -1 when it is none of them.
  private var place = -1

  init(_ stream: UV.Stream, _ options: ListeningOptions, server: Server) {
    (self.stream, self.options, self.server) = (stream, options, server)
    address = stream.peerAddress
  }

  func begin() {
    stream.owner = self
    stream.readsLittle = true
    place = server.greetings.append(self, of: .address(address?.group ?? 0))
    do throws(UVError) {
      timer = try Timer(on: server.loop) { [unowned self] in
        refuse("no header within \(server.handshakeMilliseconds) ms (handshake_ms)")
      }
      timer?.set(microseconds: MonotonicClock.microseconds + Int64(server.handshakeMilliseconds) * 1000)
      try stream.startReading()
    } catch {
      refuse(error.description)
    }
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
    guard place >= 0 else { return }
    var position = 0
    switch reader.read(bytes, at: &position) {
    case .needsMore: break
    case .fault(let fault): refuse(fault.message)
    case .header(let header): take(header, before: UnsafeRawBufferPointer(rebasing: bytes[position...]))
    }
  }

  /// The header is whole. What stands behind it is the client's.
  private func take(_ header: ProxyHeader, before rest: UnsafeRawBufferPointer) {
    guard !ProxyHeaderReader.begins(rest) else { return refuse("a second header of a proxy follows the first") }
    if case .peer(let address, let port) = header {
      guard let client = try? UV.Address(numericHost: "\(address)", port: port) else {
        return refuse("the header of the proxy names an address that this system does not know")
      }
      stream.comes(from: client)
    }
    leave()
    // Who has it from now on says when it is read.
    stream.stopReading()
    stream.readsLittle = false
    server.take(stream, options)
    if !rest.isEmpty, stream.owner !== self { stream.owner?.received(rest, from: stream) }
  }

  func ended(_ stream: UV.Stream) {
    // Whoever only looks whether somebody listens has said nothing.
    if reader.hasBegun { refuse("the header of the proxy is cut") } else { close() }
  }

  func wrote(_ count: Int, to stream: UV.Stream) {}
  func failed(_ stream: UV.Stream, _ error: UVError) { close() }
  func closed(_ stream: UV.Stream) { leave() }

  /// Others need its place.
  func makeRoom() { refuse("it was the oldest of too many that say nothing (max_strangers)") }

  private func refuse(_ reason: String) {
    server.failures?.note(.proxy, reason, address?.description ?? stream.peer, of: address)
    close()
  }

  func close() {
    leave()
    stream.close()
  }

  private func leave() {
    timer?.close()
    timer = nil
    if place >= 0 { server.greetings.remove(at: place) }
    place = -1
  }
}
