internal import Logging
internal import UV

/// One address at which the server listens. If the system runs out of something, the place accepts no connections for a
/// while.
final class ListeningPlace: ListenerOwner {
  private var endpoint: Endpoint
  private let options: ListenError.Options
  private let extras: ListeningOptions
  private unowned let server: Server
  private var listener: Listener?
  private var file: UnixSocketFile?
  private var retry: Timer?
  /// True from a shortage until a connection is accepted again, so that a long shortage is one line in the log.
  private var isShort = false

  /// How long the place accepts no connections after a shortage.
  private static let pauseMicroseconds: Int64 = 1_000_000

  /// What a newcomer is told if there is no descriptor for it, and so no connection in the router.
  private static let refusal = """
    {"op":"error","code":"too_many_connections","message":"the server cannot open more files; raise its limit of \
    files (ulimit -n)"}

    """

  init(_ endpoint: Endpoint, _ extras: ListeningOptions, givenWith options: ListenError.Options, server: Server) {
    self.endpoint = endpoint
    self.options = options
    self.extras = extras
    self.server = server
  }

  /// Whether other machines can reach it. `endpoint` has an address instead of a name by then.
  var isForOthers: Bool {
    guard case .tcp(let host, _) = endpoint else { return false }
    return !host.hasPrefix("127.") && host != "::1"
  }

  /// Whether tokens are taken here although anybody on the way can read them.
  var takesPlainTokens: Bool { extras.takesPlainTokens && !extras.isEncrypted }

  /// Begins to listen, and returns the address as it really is. If this throws, nothing is left behind.
  func open() throws(ListenError) -> Endpoint {
    do throws(UVError) {
      retry = try Timer(on: server.loop) { [unowned self] in resume() }
      switch endpoint {
      case .tcp(let host, let port): try openPort(port, on: host)
      case .unix(let path): try openSocket(path)
      }
    } catch {
      close()
      throw ListenError(error, at: endpoint, givenWith: options)
    }
    return endpoint
  }

  private func openPort(_ port: UInt16, on host: String) throws(UVError) {
    let listener = try Listener.bound(to: Address.resolve(host: host, port: port, on: server.loop), on: server.loop)
    try listen(listener)
    if let real = listener.address { endpoint = .tcp(host: real.host, port: real.port) }
  }

  private func openSocket(_ path: String) throws(UVError) {
    let lock = DirectoryLock(directoryOf: path)
    UnixSocketFile.removeIfStale(path)
    let listener = try Listener.bound(toPath: path, on: server.loop)
    file = UnixSocketFile(restricting: path, mode: extras.mode, group: extras.group)
    // Nobody can connect before `listen`. From then on only those may whom the mode lets.
    guard file != nil else {
      listener.close()
      throw .accessDenied
    }
    try listen(listener)
    extendLifetime(lock)
  }

  private func listen(_ listener: Listener) throws(UVError) {
    self.listener = listener
    try listener.listen(owner: self, refusal: Array(ListeningPlace.refusal.utf8))
  }

  /// Stops listening for good. A socket's file goes with it.
  func close() {
    file?.remove()
    file = nil
    listener?.close()
    retry?.close()
  }

  func accepted(_ stream: UV.Stream, by listener: Listener) {
    isShort = false
    stream.setNoDelay()
    stream.setKeepAlive(seconds: 60)
    var facts = server.facts(of: stream, extras)
    guard extras.isEncrypted else { return server.welcome(stream, facts) }
    guard let transport = server.encrypted(stream, extras) else { return stream.close() }
    facts.isHandshaking = true
    server.welcome(transport, facts)
  }

  func turnedAway(by listener: Listener, _ error: UVError) {
    server.noteRefusal(.files) {
      ["address": "\(endpoint)", "error": "\(error)", "files": .stringConvertible(FileLimit.current.files)]
    }
  }

  func failed(_ listener: Listener, _ error: UVError) {
    guard !error.isNewcomersLoss else {
      server.logger.debug("a connection was lost before it was accepted", metadata: ["error": "\(error)"])
      return
    }
    if !isShort {
      isShort = true
      server.logger.warning(
        "cannot accept connections; raise the limits of files (ulimit -n) and memory, or set max_connections lower",
        metadata: ["address": "\(endpoint)", "error": "\(error)"])
    }
    pause()
  }

  /// Accepts no connections for a while.
  private func pause() {
    listener?.pause()
    retry?.set(microseconds: MonotonicClock.microseconds + ListeningPlace.pauseMicroseconds)
  }

  private func resume() {
    do throws(UVError) { try listener?.resume() } catch { pause() }
  }
}
