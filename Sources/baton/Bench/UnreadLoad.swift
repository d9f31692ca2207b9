/// A control client beside peers that never read. First the peers are filled until the server keeps as much for each as
/// its limits allow. Then the control client begins. For each of its round trips the peers get a broadcast and a
/// message.
final class UnreadLoad: LoadScenario {
  private let load: Load
  private let kind: UnreadKind
  private let count: Int
  private let control: ControlLoad
  private var step = Step.opening
  private var probe: UnreadProbe?
  private var feeders: [UnreadFeeder] = []
  private var senders: [UnreadSender] = []
  private var nextFeeder = 0

  /// The state of the setup.
  private enum Step {
    /// Not all peers are there.
    case opening
    /// They have room left.
    case filling
    case full
  }

  /// The topic that all of them subscribe to.
  static let topic = "baton.unread"
  /// The chain of one handler.
  static func chain(_ number: Int) -> String { "bench-unread-\(number)" }
  /// The payload that peers are filled with.
  static let filling = String(repeating: "x", count: 64 << 10)

  init(_ load: Load, kind: UnreadKind, count: Int, options: BenchOptions) {
    self.load = load
    self.kind = kind
    self.count = count
    var ready: () throws -> Void = {}
    control = ControlLoad(load, options: options) { try ready() }
    load.landsBeforeItEnds = true
    ready = { [unowned self] in try open() }
  }

  /// The control client's, the probe, the handler that answers the senders, and for each peer its own and a feeder.
  var connections: Int { ControlLoad.connections + 2 + 2 * max(1, count) }

  func start() throws { try control.start() }

  private func open() throws {
    for number in 0..<count where kind == .subscribers { _ = try UnreadPeer(load, number) }
    for number in 0..<count where kind == .handlers { _ = try UnreadHandler(load, number) }
    feeders = try (0..<max(1, kind == .handlers ? count : 1)).map { try UnreadFeeder(load, $0) }
    guard kind == .senders else { return try openProbe() }
    _ = try UnreadEcho(load, answered: { [unowned self] in sendMore($0) }) { [unowned self] in
      senders = try (0..<count).map { try UnreadSender(load, $0) }
      try openProbe()
    }
  }

  private func openProbe() throws {
    probe = try UnreadProbe(load) { [unowned self] in probed(delivered: $0) }
  }

  // MARK: Filling

  /// The probe's broadcast found room for this many peers.
  private func probed(delivered: Int) {
    switch step {
    case .opening:
      guard delivered == count else { return probe?.broadcast() ?? () }
      step = count == 0 ? .full : .filling
      if step == .full { return begin() }
      for sender in senders { sender.send() }
      fill()
    case .filling:
      if delivered == 0 { begin() } else { fill() }
    case .full:
      if delivered > 0, load.isLanding { load.fail(BenchFailure("\(delivered) of the peers had room at the end")) }
    }
  }

  private func fill() {
    load.isComingForward()
    if kind == .handlers {
      for feeder in feeders { feeder.fill() }
    }
    probe?.broadcast(filling: kind == .subscribers)
  }

  private func sendMore(_ number: Int) {
    if senders.indices.contains(number) { senders[number].send() }
  }

  // MARK: The busy traffic

  private func begin() {
    step = .full
    load.begin()
    control.begin { [unowned self] in
      probe?.broadcast()
      feeders[nextFeeder].send()
      nextFeeder = (nextFeeder + 1) % feeders.count
    }
  }
}
