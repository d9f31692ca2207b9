internal import BatonLasting
internal import BatonLog
internal import BatonStore
internal import NATS
internal import UV

/// A node's log and file, on the engine's thread: it carries events to `NodeStore`, and its effects to NATS and to the file.
final class LogRoom {
  /// What its owner is told.
  enum News {
    /// The server may begin with what the file has.
    case isOpen
    /// The node leads no longer: why.
    case ends(String)
    /// Why the node could not lead may be another reason now.
    case changed
    /// Something is wrong with the stream.
    case trouble(String)
    /// For the log of the node.
    case told(NodeNote)
    /// The process is to start itself anew: its file is another one. Or why that could not be.
    case hasCopy(StoreError?)
  }

  let store: LoggedStore
  private let file: StoreThread
  private var node: NodeStore
  private let plan: ClusterPlan
  private let tell: (News) -> Void
  private var stream: LogStream?
  private var timer: Timer?
  private var toldWhyNot: String?
  private var hasClosed = false
  private let loop: Loop
  private let place: String
  private var copies: CopyDesk?
  /// The copy that takes the place of the file, when that is closed.
  private var copy: (file: ComingCopy, keeping: String?)?
  private var hasReplaced = false

  /// The most bytes of one message: what a server of NATS takes by itself, without its headers.
  static let mostBytes = (1 << 20) - 4096

  /// Takes the file over. `wake` wakes the engine, which says `turn` then. Throws if the system has no thread or descriptor left.
  init(
    _ plan: ClusterPlan, _ store: sending Store, on loop: Loop, wake: @escaping @Sendable () -> Void,
    tell: @escaping (News) -> Void
  ) throws {
    (self.plan, self.tell, self.loop, place) = (plan, tell, loop, store.place)
    node = NodeStore(
      try store.logPosition(), storeMs: plan.storeMs, lostMs: plan.terms.leaseMs, mostBytes: LogRoom.mostBytes,
      nameSeed: UInt64.random(in: 1 ... .max))
    file = try StoreThread(store, wake: wake)
    self.store = LoggedStore(file, wakeEngine: wake)
    timer = try Timer(on: loop) { [unowned self] in take(.tick) }
  }

  /// Begins with this client.
  func begin(over client: NATSClient) {
    file.give([.look])
    stream = LogStream(plan, bytes: plan.logBytes, over: client) { [unowned self] in tell(.trouble($0)) }
    copies = CopyDesk(place, plan, over: client, on: loop) { [unowned self] in take($0) }
  }

  /// Why the node could not lead now; nil if it could.
  var whyNot: String? { node.whyNot(at: BootClock.milliseconds).map { copies?.progress ?? $0.rawValue } }

  /// Whether its file is closed, and says of no start that it leads.
  var isFree: Bool { file.isFree }

  /// How far its file has come.
  var position: LogPosition? { node.position }
  /// The bytes that are free on its disk; nil if that is not known yet.
  var freeBytes: Int? { node.freeBytes }
  /// When the log began again because NATS had lost it, in microseconds of the monotonic clock; nil if it did not.
  private(set) var beganAgain: Int64?

  func connected() {
    stream?.check()
    take(.log(.connected))
  }

  func lost() { take(.log(.lost)) }

  /// The node has the lease.
  func leads(epoch: Int64) { take(.leads(epoch: epoch)) }

  /// Another node that lives has come so far.
  func heard(_ position: LogPosition) { take(.log(.heard(position))) }

  /// The server has given jobs, or the file has answered.
  func turn() {
    let (answers, jobs) = (file.takeAnswers(), store.takeGiven())
    if !answers.isEmpty { take(.answered(answers)) }
    if !jobs.isEmpty { take(.give(jobs)) }
    closeIfDone()
  }

  /// What was given is in the file, or cannot come there now.
  private func closeIfDone() {
    guard store.isClosing, !hasClosed, node.isIdle || node.isFailing else { return }
    hasClosed = true
    file.close()
  }

  // MARK: Copies

  /// Another node asks for a copy of the leader's store.
  func lend(_ message: NATSMessage) {
    copies?.answer(message, free: freeBytes, reaches: node.position?.sequence ?? 0)
  }

  /// Looks whether a copy is needed of whoever leads; nil: of nobody.
  func lookForCopy(from leader: (node: String, epoch: Int64)?, leads: Bool) {
    let now = BootClock.milliseconds
    let standing = CopyDesk.Standing(
      stop: node.whyNot(at: now), position: node.position, first: node.first, leader: leader)
    if copy == nil { copies?.look(standing, leads: leads, at: now) } else { replace() }
  }

  private func take(_ news: CopyDesk.News) {
    switch news {
    case .told(let note): tell(.told(note))
    case .hasCopy(let file, let end):
      copy = (file, end)
      hasClosed = true
      self.file.close()
    }
  }

  private func replace() {
    guard let (copy, end) = copy, file.hasEnded, !hasReplaced else { return }
    hasReplaced = true
    do throws(StoreError) {
      let kept = try copy.takePlace(keeping: end)
      tell(
        .told(NodeNote("a copy of the leader's store has come", kept.map { [("kept", "\(place)\($0)")] } ?? [])))
      tell(.hasCopy(nil))
    } catch {
      tell(.hasCopy(error))
    }
  }

  private func take(_ event: NodeStore.Event) {
    for effect in node.take(event, at: BootClock.milliseconds) { carryOut(effect) }
    let now = BootClock.milliseconds
    timer?.set(microseconds: MonotonicClock.microseconds + max(0, min(node.wakeAt - now, 60_000)) * 1000)
    if whyNot != toldWhyNot {
      toldWhyNot = whyNot
      tell(.changed)
    }
  }

  private func carryOut(_ effect: NodeStore.Effect) {
    switch effect {
    case .stream(let effect): ask(effect)
    case .file(let jobs): file.give(jobs)
    case .tell(let answers): store.tell(answers, isLate: node.isLate)
    case .isOpen: tell(.isOpen)
    case .ends(let why): tell(.ends(why))
    case .beginsAgain: beganAgain = MonotonicClock.microseconds
    case .strange:
      tell(.trouble("the stream \(plan.logStream) has a message that is no record of a log: it is passed over"))
    }
  }

  private func ask(_ effect: NodeLog.Effect) {
    switch effect {
    case .look(let question):
      stream?.look { [unowned self] look in
        switch look {
        case .end(let first, let last, _): take(.log(.seen(question: question, first: first, last: last)))
        case .gone: take(.log(.gone(question: question)))
        case .noAnswer: take(.log(.noAnswer(question: question)))
        }
      }
    case .read(let question, let number):
      stream?.read(from: number) { [unowned self] messages in
        take(.log(messages.map { .read(question: question, $0) } ?? .noAnswer(question: question)))
      }
    case .writer(.look(let question)):
      stream?.lookAtEnd { [unowned self] in take(.log(.writer(.looked(question: question, $0)))) }
    case .writer(.publish(let bytes, let expected, let attempt)):
      stream?.publish(bytes, expecting: expected) { [unowned self] in
        take(.log(.writer(.answered(attempt: attempt, $0))))
      }
    default: break
    }
  }
}
