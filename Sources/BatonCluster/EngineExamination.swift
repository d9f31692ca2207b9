internal import NATS
public import UV

/// Tries what a node needs of NATS, as a node asks for it, and changes nothing: what would write is refused for another reason.
public struct EngineExamination {
  /// One server of NATS.
  public struct Server {
    /// Where it is.
    public let place: String
    /// Its version; nil: it was not reached.
    public fileprivate(set) var version: String?
    /// Why it cannot be used; nil if it can.
    public fileprivate(set) var trouble: String?
  }

  /// A right that a node needs.
  public struct Right: Equatable {
    /// `publish` or `subscribe`.
    public let verb: String
    /// What it was tried with, and what has to be allowed.
    public let subject, grant: String
    /// The stream that it makes; nil: it makes none.
    public let makes: String?
  }

  /// A stream of the cluster.
  public struct Stream {
    /// Its name.
    public let name: String
    /// The bytes that it may have; nil: few.
    public let mostBytes: Int?
    /// Nil: NATS does not say.
    public fileprivate(set) var isThere: Bool?
    /// What of it is other than it should be, or why NATS does not say.
    public fileprivate(set) var troubles: [String] = []
  }

  /// All servers of the file, in its order.
  public private(set) var servers: [Server] = []
  /// The rights that were tried.
  public private(set) var rights: [Right] = []
  /// Those of them that are missing.
  public private(set) var missing: [Right] = []
  /// Those of which NATS has said nothing.
  public private(set) var unknown: [Right] = []
  /// The streams that a node of this file uses.
  public private(set) var streams: [Stream] = []
  /// How long the stream of the lease took to answer; nil: it has not.
  public private(set) var microseconds: Int64?

  /// Asks each server, for so many milliseconds at most; rights and streams at the first that can be used. Throws if the system has
  /// no descriptors left.
  public init(of plan: ClusterPlan, keepsLog: Bool, within milliseconds: Int64) throws(UVError) {
    for place in plan.nats.places {
      let isFirst = !servers.contains { $0.trouble == nil }
      let visit = try EngineVisit(to: place, plan, keepsLog: keepsLog, triesRights: isFirst, within: milliseconds)
      servers.append(Server(place: "\(place)", version: visit.info?.version, trouble: visit.trouble))
      guard isFirst, visit.trouble == nil else { continue }
      (rights, missing) = (visit.rights, visit.rights.filter(visit.refuses))
      unknown = rights.filter { !visit.refuses($0) && visit.open.contains($0.subject) }
      (streams, microseconds) = (visit.streams, visit.microseconds)
    }
  }
}

/// A visit to one server of NATS.
private final class EngineVisit {
  private let plan: ClusterPlan
  private let keepsLog: Bool
  private let loop: Loop
  private var client: NATSClient?
  private(set) var info: NATSInfo?
  private(set) var trouble: String? = "it does not answer"
  private(set) var rights: [EngineExamination.Right] = []
  private(set) var streams: [EngineExamination.Stream] = []
  private(set) var microseconds: Int64?
  /// Subjects of questions without an answer.
  private(set) var open: Set<String> = []
  private var refusals: [String] = []

  /// Milliseconds that an answer may take.
  private static let patience: Int64 = 2000

  init(
    to place: NATSPlace, _ plan: ClusterPlan, keepsLog: Bool, triesRights: Bool, within milliseconds: Int64
  ) throws(UVError) {
    (self.plan, self.keepsLog, loop) = (plan, keepsLog, try Loop())
    let nats = plan.nats
    let own = NATSPlan(
      places: [place], credentials: nats.credentials, tls: nats.tls, name: nats.name, version: nats.version)
    let heard = [plan.nodesSubject, plan.leaseSubject]
    let timer = try Timer(on: loop) { [unowned self] in loop.stop() }
    timer.set(microseconds: MonotonicClock.microseconds + milliseconds * 1000)
    client = try NATSClient(own, inbox: plan.inbox, subjects: triesRights ? heard : [], first: 0, on: loop) {
      [unowned self] news in
      switch news {
      case .connected(let info, _):
        self.info = info
        trouble = info.unfitness(at: place, keepsLog: keepsLog)
        if triesRights, trouble == nil { tryRights(heard) } else { loop.stop() }
      case .away(let why, _):
        trouble = why
        loop.stop()
      case .refused(let what):
        refusals.append(what)
        stopIfDone()
      case .message: break
      }
    }
    loop.run()
    client?.close()
    timer.close()
    loop.run()
  }

  /// NATS says `Permissions Violation for Publish to "SUBJECT"`, or `for Subscription to`.
  func refuses(_ right: EngineExamination.Right) -> Bool {
    let words = "\(right.verb == "publish" ? "Publish" : "Subscription") to \"\(right.subject)\""
    return refusals.contains { $0.contains(words) }
  }

  private func need(_ verb: String, _ subject: String, grant: String? = nil, makes: String? = nil) {
    rights.append(EngineExamination.Right(verb: verb, subject: subject, grant: grant ?? subject, makes: makes))
  }

  /// A missing right is said before the next question is answered; so what needs no answer comes first.
  private func tryRights(_ heard: [String]) {
    let all = "\(plan.prefix).>"
    for subject in ["\(plan.inbox).*"] + heard { need("subscribe", subject, grant: all) }
    for subject in ["\(plan.inbox).right", plan.nodesSubject] { publish(to: subject, grant: all) }
    publish(to: plan.leaseSubject, grant: all)
    if keepsLog { publish(to: plan.logSubject, grant: all) }
    let server = client?.info
    let wall = WallClock.milliseconds
    look(at: StreamShape.lease(of: plan, replicas: plan.replicas(at: server), wall: wall))
    ask("STREAM.MSG.GET.\(plan.leaseStream)", JSONText.write(["last_by_subj": plan.leaseSubject]))
    guard keepsLog else { return }
    look(at: StreamShape.log(of: plan, bytes: plan.logBytes, replicas: plan.replicas(at: server), wall: wall))
    ask("DIRECT.GET.\(plan.logStream)")
  }

  /// No stream has this name: so none takes it.
  private func publish(to subject: String, grant: String) {
    need("publish", subject, grant: grant)
    client?.publish([], to: subject, headers: "Nats-Expected-Stream: \(plan.prefix)-none")
  }

  private func look(at shape: StreamShape) {
    let place = streams.count
    streams.append(EngineExamination.Stream(name: shape.name, mostBytes: shape.maxBytes))
    // A stream is made by the name of its subject alone.
    ask("STREAM.CREATE.\(shape.name)", JSONText.write(["name": "\(plan.prefix)-none"]), makes: shape.name)
    ask("STREAM.INFO.\(shape.name)") { [unowned self] message in
      let answer = message.status == nil ? StreamAnswer.read(message.payload) : nil
      if let config = answer?.config {
        streams[place].isThere = true
        streams[place].troubles = config.differences(from: shape)
      } else if answer?.error?.isNoStream == true {
        streams[place].isThere = false
      } else {
        streams[place].troubles = [answer?.error?.description ?? "nobody there keeps streams, or none of them leads"]
      }
    }
  }

  private func ask(
    _ what: String, _ body: [UInt8] = [], makes: String? = nil, _ heard: @escaping (NATSMessage) -> Void = { _ in }
  ) {
    let subject = "$JS.API.\(what)"
    need("publish", subject, makes: makes)
    open.insert(subject)
    client?.ask(body, at: subject, within: EngineVisit.patience) { [unowned self] message in
      guard let message else { return stopIfDone(isLate: true) }
      open.remove(subject)
      heard(message)
      stopIfDone()
    }
  }

  private func stopIfDone(isLate: Bool = false) {
    guard isLate || rights.allSatisfy({ !open.contains($0.subject) || refuses($0) }) else { return }
    let subject = "$JS.API.STREAM.INFO.\(plan.leaseStream)"
    guard !open.contains(subject), !isTiming else { return loop.stop() }
    isTiming = true
    let asked = MonotonicClock.microseconds
    client?.ask([], at: subject, within: EngineVisit.patience) { [unowned self] message in
      if message != nil { microseconds = MonotonicClock.microseconds - asked }
      loop.stop()
    }
  }

  private var isTiming = false
}
