internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Whom a listener tells about newcomers.
public protocol ListenerOwner: AnyObject {
  /// A peer has connected over a stream that has no owner yet and does not read.
  func accepted(_ stream: Stream, by listener: Listener)
  /// There was no descriptor for a newcomer: it was told so, and is gone.
  func turnedAway(by listener: Listener, _ error: UVError)
  /// Somebody came and could not be let in. Unless the error is that newcomer's loss alone, the owner is to pause the
  /// listener and to resume it later: the loop would ask again at once, and so for ever.
  func failed(_ listener: Listener, _ error: UVError)
}

/// A place where peers connect: a TCP address or a Unix socket.
public final class Listener: Handle {
  /// What carries the streams that come in here.
  public let kind: Stream.Kind
  private var owner: (any ListenerOwner)?
  /// Gone once the listener is closed.
  private var socket: ListeningSocket?
  /// What those are told for whom there is no descriptor.
  private var refusal: [UInt8] = []

  /// Newcomers let in before the others have their turn again.
  private static let newcomersAtOnce = 256

  private init(_ kind: Stream.Kind, _ socket: consuming ListeningSocket, on loop: Loop) throws(UVError) {
    self.kind = kind
    let number = socket.number
    self.socket = consume socket
    try super.init(UV_POLL, on: loop) {
      uv_poll_init(loop.uv, $0.assumingMemoryBound(to: uv_poll_t.self), number)
    }
  }

  private var poll: UnsafeMutablePointer<uv_poll_t> { memory.assumingMemoryBound(to: uv_poll_t.self) }

  /// A listener that has the address, and that nobody can reach before `listen`. That the address is taken may show
  /// only there.
  public static func bound(to address: Address, on loop: Loop) throws(UVError) -> Listener {
    try Listener(.tcp, .bound(to: address), on: loop)
  }

  /// A listener that has made the socket file at `path`, and that nobody can reach before `listen`. The file is the
  /// caller's to remove.
  public static func bound(toPath path: String, on loop: Loop) throws(UVError) -> Listener {
    let socket = try ListeningSocket.bound(toPath: path)
    do throws(UVError) {
      return try Listener(.unix, socket, on: loop)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Lets peers in from now on; `refusal` is what those get for whom there is no descriptor. The listener holds its
  /// owner until it is closed to the end. Where this throws, the listener is closed.
  public func listen(owner: any ListenerOwner, refusal: [UInt8] = []) throws(UVError) {
    self.owner = owner
    self.refusal = refusal
    do {
      try socket?.listen()
      try resume()
    } catch {
      close()
      throw error
    }
  }

  /// Lets peers in again after `pause`.
  public func resume() throws(UVError) {
    guard !isClosing else { return }
    try loop.reserveSpare()
    let result = uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, status, _ in
      withObject(poll?.pointee.data, as: Listener.self) { $0.somebodyCame(status) }
    }
    try UVError.check(result)
  }

  /// Lets peers wait.
  public func pause() { if !isClosing { uv_poll_stop(poll) } }

  private func somebodyCame(_ status: Int32) {
    if status < 0 {
      owner?.failed(self, UVError(code: status))
      return
    }
    for _ in 0..<Listener.newcomersAtOnce {
      do throws(UVError) {
        guard let newcomer = try socket?.accept() else { return }
        owner?.accepted(try Stream(kind, over: newcomer, on: loop), by: self)
      } catch {
        guard carryOn(after: error) else { return }
      }
    }
  }

  /// Deals with a newcomer who could not be let in; false where the next one is not to be tried now.
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

  /// Lets one newcomer in on the loop's spare descriptor, to tell it that there is none for it; false where nobody
  /// waits.
  private func turnOneAway() throws(UVError) -> Bool {
    loop.giveUpSpare()
    let newcomer = try socket?.accept()
    let somebodyCame = newcomer != nil
    if let newcomer { ListeningSocket.turnAway(newcomer, saying: refusal) }
    try loop.reserveSpare()
    return somebodyCame
  }

  /// The TCP address as it really is, with the port that the system chose where 0 was asked for.
  public var address: Address? { kind == .tcp ? socket?.address : nil }

  public override func close() {
    super.close()
    socket = nil
  }

  override func didClose() { owner = nil }
}
