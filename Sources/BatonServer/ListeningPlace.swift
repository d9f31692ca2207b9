internal import Logging
internal import UV

/// One address that the server listens at: opens it, and opens it again where the system ran out of something.
final class ListeningPlace: ListenerOwner {
  private var endpoint: Endpoint
  private unowned let server: Server
  private var listener: Listener?
  private var retry: Timer?
  /// True from a shortage until somebody gets in again, so that a long one is one line in the log.
  private var isShort = false

  /// How long the place stays shut after a shortage.
  private static let pauseMicroseconds: Int64 = 1_000_000

  init(_ endpoint: Endpoint, server: Server) {
    self.endpoint = endpoint
    self.server = server
  }

  /// Begins to listen, and returns the address as it really is.
  func open() throws(ListenError) -> Endpoint {
    do throws(UVError) {
      switch endpoint {
      case .tcp(let host, let port): try openPort(port, on: host)
      case .unix(let path): try openSocket(path)
      }
    } catch {
      throw ListenError(error, at: endpoint)
    }
    return endpoint
  }

  private func openPort(_ port: UInt16, on host: String) throws(UVError) {
    let listener = try Listener.bound(to: Address.resolve(host: host, port: port, on: server.loop), on: server.loop)
    try listener.listen(owner: self)
    self.listener = listener
    // From now on the same port, also after a pause.
    if let real = listener.address { endpoint = .tcp(host: real.host, port: real.port) }
  }

  private func openSocket(_ path: String) throws(UVError) {
    UnixSocketFile.removeIfStale(path)
    let listener = try Listener.bound(toPath: path, on: server.loop)
    // Nobody can connect before `listen`, so there is no moment at which others than the owner could.
    guard UnixSocketFile.restrict(path) else {
      listener.close()
      throw .accessDenied
    }
    try listener.listen(owner: self)
    self.listener = listener
  }

  /// Stops listening for good. A socket's file goes with it.
  func close() {
    listener?.close()
    retry?.close()
  }

  func accepted(_ stream: UV.Stream, by listener: Listener) {
    isShort = false
    server.welcome(stream)
  }

  func failed(_ listener: Listener, _ error: UVError) {
    guard error.isShortage else {
      server.logger.debug("a connection was lost before it was let in", metadata: ["error": "\(error)"])
      return
    }
    if !isShort {
      isShort = true
      server.logger.warning(
        "cannot let anybody in; raise the limits of files (ulimit -n) and memory, or set max_connections lower",
        metadata: ["address": "\(endpoint)", "error": "\(error)"])
    }
    listener.close()
    pause()
  }

  /// Opens the place again after a while, and again, until that works.
  private func pause() {
    do throws(UVError) {
      let timer = if let retry { retry } else { try Timer(on: server.loop) { [unowned self] in reopen() } }
      retry = timer
      timer.set(microseconds: MonotonicClock.microseconds + ListeningPlace.pauseMicroseconds)
    } catch {
      server.logger.error("cannot listen any more", metadata: ["address": "\(endpoint)", "error": "\(error)"])
    }
  }

  private func reopen() {
    do throws(ListenError) { _ = try open() } catch { pause() }
  }
}
