internal import Logging
internal import UV

/// One address at which the server listens. If the system runs out of something, the place accepts no connections for a
/// while.
final class ListeningPlace: ListenerOwner {
  /// The place as it was given: a name may stand there, and port 0.
  let given: Endpoint
  /// An address instead of a name, and the real port, once it is open.
  private(set) var endpoint: Endpoint
  private let options: ListenError.Options
  private(set) var extras: ListeningOptions
  /// What another process has opened: this process does not end it, it only stops accepting there.
  private let handed: HandedOverSocket?
  private unowned let server: Server
  private var listener: Listener?
  private var file: UnixSocketFile?
  private var retry: Timer?
  /// Whether newcomers wait in the system's queue.
  private var isHeld = false
  /// True from a shortage until a connection is accepted again, so that a long shortage is one line in the log.
  private var isShort = false

  /// How long the place accepts no connections after a shortage.
  private static let pauseMicroseconds: Int64 = 1_000_000

  /// What a newcomer is told if there is no descriptor for it, and so no connection in the router.
  private static let refusal = """
    {"op":"error","code":"too_many_connections","message":"the server cannot open more files; raise its limit of \
    files (ulimit -n)"}

    """

  private var httpRefusal: [UInt8] {
    HTTPDoor.refusal(
      503, code: .tooManyConnections,
      message: "the server cannot open more files; raise its limit of files (ulimit -n)")
  }

  init(_ endpoint: Endpoint, _ extras: ListeningOptions, givenWith options: ListenError.Options, server: Server) {
    given = endpoint
    self.endpoint = endpoint
    self.options = options
    self.extras = extras
    self.server = server
    handed = nil
  }

  init(_ handed: HandedOverSocket, _ extras: ListeningOptions, server: Server) {
    given = handed.endpoint
    endpoint = handed.endpoint
    options = .hostAndPort
    self.extras = extras
    self.server = server
    self.handed = handed
  }

  /// Its address, as the start prints it.
  var name: String {
    guard case .tcp = endpoint else { return "\(endpoint)" }
    let address = "\(endpoint)".dropFirst("tcp ".count)
    if extras.speaksHTTP { return (extras.isEncrypted ? "https " : "http ") + address }
    return (extras.isEncrypted ? "tls " : "tcp ") + address
  }

  /// Whether another process has opened its socket.
  var isHandedOver: Bool { handed != nil }

  /// Whether it is a Unix socket.
  var isUnix: Bool { if case .unix = endpoint { true } else { false } }

  /// Whether nobody can connect to it any more, for somebody removed its socket's file.
  var hasLostFile: Bool { file?.isGone ?? false }

  /// Whether other machines can reach it. `endpoint` has an address instead of a name by then.
  var isForOthers: Bool {
    guard case .tcp(let host, _) = endpoint else { return false }
    return !host.hasPrefix("127.") && host != "::1"
  }

  /// Whether tokens are taken here although anybody on the way can read them.
  var takesPlainTokens: Bool { extras.takesPlainTokens && !extras.isEncrypted }

  /// Begins to listen, and returns the address as it really is. If this throws, nothing is left behind. `leaving` are
  /// places of this server that will be closed: one of them may have the port.
  func open(insteadOf leaving: [ListeningPlace] = []) throws(ListenError) -> Endpoint {
    do throws(UVError) {
      retry = try Timer(on: server.loop) { [unowned self] in resume() }
      switch (handed, endpoint) {
      case (let handed?, _): try listen(Listener.over(handed, on: server.loop))
      case (nil, .tcp(let host, let port)): try openPort(port, on: host, insteadOf: leaving)
      case (nil, .unix(let path)): try openSocket(path)
      }
    } catch {
      close()
      throw ListenError(error, at: endpoint, givenWith: options)
    }
    return endpoint
  }

  /// The address of a place that will be closed may be a part of the new one, or the other way round: 127.0.0.1 and
  /// 0.0.0.0 with one port. The system lets both listen for a moment if both say so.
  private func openPort(
    _ port: UInt16, on host: String, insteadOf leaving: [ListeningPlace]
  ) throws(UVError) {
    let rivals = leaving.filter { $0.port == port && $0.port != 0 }.compactMap(\.listener)
    for rival in rivals { rival.sharePort(true) }
    defer { for rival in rivals { rival.sharePort(false) } }
    let address = try Address.resolve(host: host, port: port, on: server.loop)
    let listener = try Listener.bound(to: address, on: server.loop, sharesPort: !rivals.isEmpty)
    try listen(listener)
    listener.sharePort(false)
    if let real = listener.address { endpoint = .tcp(host: real.host, port: real.port) }
  }

  private var port: UInt16 { if case .tcp(_, let port) = endpoint { port } else { 0 } }

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
    let refusal = extras.speaksHTTP ? httpRefusal : Array(ListeningPlace.refusal.utf8)
    // Whoever begins with a handshake could not read it.
    try listener.listen(owner: self, refusal: extras.isEncrypted ? [] : refusal)
  }

  /// Whether it is the place of an entry. One that has lost its socket's file is none. A port that the system chose stays one for lines, or one for HTTP.
  func isKept(as entry: ListeningEntry) -> Bool {
    guard given == entry.endpoint, !hasLostFile else { return false }
    if case .tcp(_, 0) = given { return extras.speaksHTTP == entry.extras.speaksHTTP }
    return true
  }

  /// Treats newcomers otherwise from now on. Who has connected already came to the place as it was. If this throws,
  /// nothing has changed.
  func change(to new: ListeningOptions) throws(ListenError) {
    guard new != extras else { return }
    if let file, (new.mode, new.group) != (extras.mode, extras.group) {
      guard file.restrict(from: extras.mode, to: new.mode, group: new.group) else {
        throw ListenError("the socket \(file.path) cannot get this group and mode: this user may not give them")
      }
    }
    listener?.acceptWaiting()
    extras = new
  }

  /// Stops listening for good. A socket's file goes with it. Who waits at a socket that was handed over waits on, for
  /// the next server.
  func close() {
    file?.remove()
    file = nil
    listener?.close()
    retry?.close()
  }

  /// The same, when the server goes on without the place: nobody who has connected already is lost.
  func leave() {
    listener?.acceptWaiting()
    close()
  }

  func accepted(_ stream: UV.Stream, by listener: Listener) {
    isShort = false
    server.node?.somebodyCame()
    stream.setNoDelay()
    stream.setKeepAlive(seconds: 60)
    if extras.takesProxyHeader { server.hearProxy(stream, extras) } else { server.take(stream, extras) }
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

  /// Lets newcomers wait in the system's queue, or accepts them again.
  func hold(_ isHeld: Bool) {
    guard isHeld != self.isHeld else { return }
    self.isHeld = isHeld
    if isHeld { listener?.pause() } else { resume() }
  }

  private func resume() {
    guard !isHeld else { return }
    do throws(UVError) { try listener?.resume() } catch { pause() }
  }
}
