internal import BatonCore
internal import BatonLasting
internal import Logging
internal import UV

/// A server's part in a cluster: whether it serves, or tells newcomers who does. It decides nothing about who leads.
///
/// The server and its router are there from the start, and a spare's router has no work. When the lease is over, the process
/// starts itself anew: so no router is ever taken down and used again.
final class ServerNode {
  private unowned let server: Server
  private let engine: any NodeEngine
  private let name: String
  /// Opens the store of a server that leads from now on.
  private let openStore: () throws -> Void
  /// Starts the process anew; it does not return.
  private let startAnew: () -> Never
  private var wakeup: Wakeup?
  private(set) var news = NodeNews()
  @exclusivity(unchecked) private var isLeading = false
  private var hasLed = false
  private var readings = 0
  /// Whether the process goes on as a spare when it has drained.
  private(set) var goesOnAsSpare = false
  private var successor: String?
  /// Newcomers since this time, by the monotonic clock.
  private var came: (count: Int, since: Int64) = (0, 0)

  /// Newcomers that a spare tells in a second where to go. Others wait in the system's queue.
  private static let mostNewcomers = 500
  /// Milliseconds that letting go may take.
  private static let patience = 3000

  init(
    _ name: String, _ engine: any NodeEngine, of server: Server, openStore: @escaping () throws -> Void,
    startAnew: @escaping () -> Never
  ) throws(UVError) {
    (self.name, self.engine, self.server) = (name, engine, server)
    (self.openStore, self.startAnew) = (openStore, startAnew)
    wakeup = try Wakeup(on: server.loop) { [unowned self] in beat() }
  }

  /// Begins as a spare. Returns false if the system has no thread left.
  func begin() -> Bool {
    standAside()
    guard let sender = wakeup?.sender else { return false }
    return engine.begin { sender.wake() }
  }

  func close() {
    wakeup?.close()
    // A spare has written to it, and nobody else closes it.
    if !isLeading { engine.messages?.close() }
  }

  // MARK: Leading

  /// Whether it led, and may not any more.
  @inline(__always)
  var isOver: Bool { isLeading && BootClock.milliseconds >= engine.until }

  /// The one point of each turn, before anything is written.
  func turn() {
    if isOver { return lose() }
    engine.hasTurned()
    if let wish = server.router.pointee.takeHandOver(), !server.isDraining { handOver(to: wish.to) }
    server.turn()
    if isOver { lose() }
  }

  /// The engine has news, or wants to see the loop turn.
  private func beat() {
    for note in engine.takeNotes() {
      let facts = Logger.Metadata(note.facts.map { ($0.name, .string($0.value)) }, uniquingKeysWith: { $1 })
      server.logger.log(level: note.isWarning ? .warning : .notice, "\(note.text)", metadata: facts)
    }
    let before = news.sight
    news = engine.news
    if isLeading, let sight = news.sight, sight.spares != before?.spares {
      server.router.pointee.tellNodes(from: before, to: sight, at: Instant(microseconds: MonotonicClock.microseconds))
    }
    if let why = news.mustEnd { return end(why) }
    if news.startsAnew, !isLeading {
      server.leaveSignals()
      if server.isToldToEnd { return server.abort() }
      startAnew()
    }
    // A node that has the lease may find that its store lacks something.
    if news.ended != nil, isLeading || !hasLed { return lose() }
    if news.leads, !isLeading, !hasLed, !server.isDraining, BootClock.milliseconds < engine.until { lead() }
    if !isLeading { standAside() }
    if news.readings != readings {
      readings = news.readings
      server.reload(because: "the leader has another file")
    }
  }

  private func lead() {
    (isLeading, hasLed) = (true, true)
    engine.takesOver(true)
    do { try openStore() } catch { return end("\(error)") }
    engine.takesOver(false)
    if isOver { return lose() }
    server.router.pointee.standAside(for: nil)
    for place in server.places { place.hold(false) }
  }

  /// The lease is over. No byte of what was meant for peers goes out any more.
  private func lose() {
    (isLeading, hasLed) = (false, true)
    let why = engine.news.ended ?? "its lease was not renewed in time"
    server.logger.error("this node leads no longer", metadata: ["why": "\(why)"])
    server.sayLast(ServerNode.lost)
    server.leaveSignals()
    // Whoever told it to end does not want it again.
    if server.isDraining && !goesOnAsSpare || server.isToldToEnd { return server.abort() }
    startAnew()
  }

  private static let lost = Array(
    """
    {"op":"error","code":"leader_lost","message":"this server does not lead any more; connect again, to whoever leads"}

    """.utf8)

  func tell(digest: String, nodes: [String: String], pages: [String: String]) {
    engine.takes(digest: digest, nodes: nodes, pages: pages)
  }

  private func end(_ why: String) {
    server.logger.critical("\(why)")
    server.abort()
  }

  // MARK: Leaving

  private func handOver(to node: String?) {
    (goesOnAsSpare, successor) = (true, node)
    server.logger.notice("handing over", metadata: ["to": "\(node ?? "any")"])
    server.drain(on: "hand_over")
  }

  /// The server begins to drain.
  func drains() {
    guard isLeading else { return }
    engine.leaves(to: successor ?? news.sight?.spares.first)
  }

  /// The server has ended: others may lead at once.
  func letGo() {
    guard isLeading else {
      _ = engine.messages?.waitForEnd(milliseconds: ServerNode.patience)
      return
    }
    isLeading = false
    if !engine.letGo(within: ServerNode.patience) {
      server.logger.warning("the lease could not be let go; another node leads when its time is over")
    }
  }

  // MARK: Standing aside

  private func standAside() {
    let leader = news.leader.flatMap { name in news.leaderAddress.map { (name: name, address: $0) } }
    server.router.pointee.standAside(for: OtherLeader(node: name, leader: leader, isReady: news.whyNot == nil))
    let now = MonotonicClock.microseconds
    if now - came.since >= 1_000_000 { came = (0, now) }
    hold()
  }

  /// While nobody leads, newcomers wait, and are served as soon as somebody does. HTTP is told so; those on this machine, too.
  private func hold() {
    let waits = !news.tellsNewcomers || came.count >= ServerNode.mostNewcomers
    for place in server.places where !place.extras.speaksHTTP && !place.isUnix { place.hold(waits) }
  }

  /// Somebody has connected.
  func somebodyCame() {
    guard !isLeading else { return }
    came.count += 1
    if came.count == ServerNode.mostNewcomers { hold() }
  }

  /// What it answers over HTTP; nil while it leads.
  var pages: SparePages? {
    guard !isLeading else { return nil }
    let leader = news.leader.flatMap { name in news.leaderAddress.map { (name: name, address: $0) } }
    let figures = figures
    return SparePages(
      other: OtherLeader(node: name, leader: leader, isReady: news.whyNot == nil), leaderPages: news.leaderPages
    ) {
      var text = MetricsText()
      for (family, value) in figures { text.alone(family, "\(value)") }
      return text.bytes
    }
  }

  /// Its figures in `/metrics`.
  var figures: [(MetricsFamily, Int)] {
    let spares = isLeading ? [(MetricsFamily.nodeSpares, news.sight?.spares.count ?? 0)] : []
    return [(.nodeLeads, isLeading ? 1 : 0), (.nodeReady, isLeading || news.whyNot == nil ? 1 : 0)] + spares
      + [(.nodeEngine, news.engineAway == nil ? 1 : 0)]
  }
}
