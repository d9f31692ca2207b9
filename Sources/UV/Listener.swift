internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The owner of a listener, which is told about new connections.
public protocol ListenerOwner: AnyObject {
  /// A peer has connected over a stream that has no owner yet and does not read.
  func accepted(_ stream: Stream, by listener: Listener)
  /// There was no descriptor for a new connection: it was told so and closed.
  func turnedAway(by listener: Listener, _ error: UVError)
  /// A connection could not be accepted. Unless the error concerns this connection only, the owner must pause the
  /// listener and resume it later. Otherwise the loop would try again at once, without end.
  func failed(_ listener: Listener, _ error: UVError)
}

/// A place where peers connect: a TCP address or a Unix socket.
public final class Listener: Handle {
  /// The kind of the streams that are accepted here.
  public let kind: Stream.Kind
  private var owner: (any ListenerOwner)?
  /// Nil once the listener is closed.
  private var socket: ListeningSocket?
  /// What a connection is told if there is no descriptor for it.
  private var refusal: [UInt8] = []

  /// How many connections are accepted in a turn. One costs up to 50 µs, with its encryption, and a message that needs
  /// four turns would wait for four times as many.
  private static let newcomersAtOnce = 8
  /// How many connections wait at most for being accepted.
  static let backlog = 1024

  /// Whether another process has opened the socket. It listens then, with the backlog that the other one chose.
  private let isHandedOver: Bool

  private init(
    _ kind: Stream.Kind, _ socket: consuming ListeningSocket, isHandedOver: Bool = false, on loop: Loop
  ) throws(UVError) {
    self.kind = kind
    self.isHandedOver = isHandedOver
    let number = socket.number
    self.socket = consume socket
    try super.init(UV_POLL, on: loop) {
      uv_poll_init(loop.uv, $0.assumingMemoryBound(to: uv_poll_t.self), number)
    }
  }

  private var poll: UnsafeMutablePointer<uv_poll_t> { memory.assumingMemoryBound(to: uv_poll_t.self) }

  /// A listener that has the address. No peer can reach it before `listen`. An address that is in use may be reported
  /// only by `listen`. `sharesPort`: another listener of this process has the port, and `sharePort` was called there.
  public static func bound(to address: Address, on loop: Loop, sharesPort: Bool = false) throws(UVError) -> Listener {
    try Listener(.tcp, .bound(to: address, sharesPort: sharesPort), on: loop)
  }

  /// A listener over a socket that another process has opened, and that listens already. It owns the socket's
  /// descriptor from now on. What it closes, the other process still has.
  public static func over(_ handed: HandedOverSocket, on loop: Loop) throws(UVError) -> Listener {
    let isUnix = if case .unix = handed.endpoint { true } else { false }
    return try Listener(isUnix ? .unix : .tcp, .takingOver(handed), isHandedOver: true, on: loop)
  }

  /// Whether other listeners of this user may have the same port: for as long as one of a process takes the place of
  /// another one.
  public func sharePort(_ isShared: Bool) { socket?.sharePort(isShared) }

  /// A listener that has made the socket file at `path`. No peer can reach it before `listen`. The caller must remove
  /// the file.
  public static func bound(toPath path: String, on loop: Loop) throws(UVError) -> Listener {
    let socket = try ListeningSocket.bound(toPath: path)
    do throws(UVError) {
      return try Listener(.unix, socket, on: loop)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Accepts peers from now on. A peer gets `refusal` if there is no descriptor for it. The listener holds its owner
  /// until it is closed to the end. If this throws, the listener is closed.
  public func listen(owner: any ListenerOwner, refusal: [UInt8] = []) throws(UVError) {
    self.owner = owner
    self.refusal = refusal
    do {
      if !isHandedOver { try socket?.listen() }
      try resume()
    } catch {
      close()
      throw error
    }
  }

  /// Accepts peers again after `pause`.
  public func resume() throws(UVError) {
    guard !isClosing else { return }
    try loop.reserveSpare()
    let result = uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, status, _ in
      withObject(poll?.pointee.data, as: Listener.self) { $0.somebodyCame(status) }
    }
    try UVError.check(result)
  }

  /// Accepts no peers until `resume`.
  public func pause() { if !isClosing { uv_poll_stop(poll) } }

  /// Accepts at once all peers that have connected already. Call it before the listener is closed, or before newcomers
  /// are treated otherwise: these peers came to the place as it was.
  public func acceptWaiting() { accept(atMost: Listener.backlog) }

  private func somebodyCame(_ status: Int32) {
    if status < 0 {
      owner?.failed(self, UVError(code: status))
      return
    }
    accept(atMost: Listener.newcomersAtOnce)
  }

  private func accept(atMost count: Int) {
    for _ in 0..<count {
      do throws(UVError) {
        var address = Address()
        guard let newcomer = try socket?.accept(from: &address) else { return }
        let stream = try Stream(kind, over: newcomer, on: loop)
        if kind == .tcp { stream.acceptedFrom = address }
        owner?.accepted(stream, by: self)
      } catch {
        guard carryOn(after: error) else { return }
      }
    }
  }

  /// Handles a connection that could not be accepted; false if the next one must not be tried now.
  private func carryOn(after error: UVError) -> Bool {
    guard error.isDescriptorShortage else {
      owner?.failed(self, error)
      return error.isNewcomersLoss
    }
    do throws(UVError) {
      guard try turnOneAway() else { return false }
      owner?.turnedAway(by: self, error)
      return true
    } catch {
      owner?.failed(self, error)
      return false
    }
  }

  /// Accepts one connection on the loop's spare descriptor, to tell it that there is no descriptor for it; false if no
  /// connection waits.
  private func turnOneAway() throws(UVError) -> Bool {
    loop.giveUpSpare()
    var address = Address()
    let newcomer = try socket?.accept(from: &address)
    let somebodyCame = newcomer != nil
    if let newcomer { ListeningSocket.turnAway(newcomer, saying: refusal) }
    try loop.reserveSpare()
    return somebodyCame
  }

  /// The actual TCP address, with the port that the system chose if 0 was asked for.
  public var address: Address? { kind == .tcp ? socket?.address : nil }

  public override func close() {
    super.close()
    socket = nil
  }

  override func didClose() { owner = nil }
}
