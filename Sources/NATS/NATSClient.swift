public import TLS
public import UV

/// What a client needs to know before it connects.
public struct NATSPlan: Sendable {
  /// The servers of one NATS; one of them at a time is used.
  public let places: [NATSPlace]
  /// Who the client is; nil: nobody, or whom its certificate says.
  public let credentials: NATSCredentials?
  /// What encrypted connections use; nil: none may be encrypted.
  public let tls: TLSContext?
  /// What the server calls this client in its lists.
  public let name: String
  /// The client's version.
  public let version: String

  /// A plan; `places` has at least one.
  public init(places: [NATSPlace], credentials: NATSCredentials?, tls: TLSContext?, name: String, version: String) {
    (self.places, self.credentials, self.tls) = (places, credentials, tls)
    (self.name, self.version) = (name, version)
  }
}

/// A client of NATS: one connection at a time, to one of several servers, again and again. It knows subjects, requests and
/// their answers, and no stream.
///
/// It lives on the thread of its loop. Requests that are open when the connection is lost end without an answer: whether they
/// were carried out is not known.
public final class NATSClient {
  /// What its owner is told.
  public enum News {
    /// A connection is open. What was subscribed to is heard from now on.
    case connected(NATSInfo, at: NATSPlace)
    /// A connection is lost, or could not be made. It is tried again.
    case away(String, at: NATSPlace)
    /// A server refuses something for want of a right.
    case refused(String)
    /// Something was published to a subject that is subscribed to.
    case message(NATSMessage)
  }

  private struct Question {
    let until: Int64
    let answered: (NATSMessage?) -> Void
  }

  private let plan: NATSPlan
  private let loop: Loop
  private let tell: (News) -> Void
  /// Where answers come: a subject below this one for each question.
  private let inbox: String
  private let subjects: [String]
  private var line: NATSLine?
  private var place: Int
  /// How many places in a row could not be reached.
  private var misses = 0
  private var timer: Timer?
  private var lookTimer: Timer?
  /// The information of the server; nil while there is no connection.
  public private(set) var info: NATSInfo?
  private var questions: [UInt64: Question] = [:]
  private var lastQuestion: UInt64 = 0
  private var isClosed = false

  /// Milliseconds to wait after all places were tried in vain.
  private static let patience: Int64 = 500
  /// How often open questions are looked through, in milliseconds.
  private static let look: Int64 = 50

  /// A client that begins to connect. `inbox` is a subject of its own, below which answers come; `subjects` are subscribed to with
  /// each connection. `first` chooses the first place.
  public init(
    _ plan: NATSPlan, inbox: String, subjects: [String], first: Int, on loop: Loop, tell: @escaping (News) -> Void
  ) throws(UVError) {
    (self.plan, self.loop, self.tell, self.inbox, self.subjects) = (plan, loop, tell, inbox, subjects)
    place = first % plan.places.count
    timer = try Timer(on: loop) { [unowned self] in connect() }
    lookTimer = try Timer(on: loop) { [unowned self] in lookThroughQuestions() }
    connect()
  }

  /// Ends it; nobody is told or answered any more.
  public func close() {
    isClosed = true
    line?.close()
    line = nil
    questions = [:]
    timer?.close()
    lookTimer?.close()
  }

  /// How long the server took to answer the latest PING, in milliseconds; nil if that is not known.
  public var milliseconds: Int? { line?.milliseconds }

  // MARK: Connecting

  private func connect() {
    guard !isClosed else { return }
    do throws(UVError) {
      line = try NATSLine(to: plan.places[place], plan, on: loop) { [unowned self] in take($0) }
    } catch {
      lose("\(error)")
    }
  }

  private func take(_ news: NATSLine.News) {
    switch news {
    case .open(let info):
      misses = 0
      self.info = info
      send("SUB \(inbox).* 1\r\n")
      for (number, subject) in subjects.enumerated() { send("SUB \(subject) \(number + 2)\r\n") }
      tell(.connected(info, at: plan.places[place]))
    case .message(let message):
      if message.subject.hasPrefix(inbox + ".") { answer(message) } else { tell(.message(message)) }
    case .refused(let what): tell(.refused(what))
    case .ended(let why): lose(why)
    }
  }

  private func lose(_ why: String) {
    line = nil
    info = nil
    let left = plan.places[place]
    place = (place + 1) % plan.places.count
    misses += 1
    let isRoundOver = misses >= plan.places.count
    if isRoundOver { misses = 0 }
    timer?.set(microseconds: MonotonicClock.microseconds + (isRoundOver ? NATSClient.patience * 1000 : 0))
    // The order does not depend on a hash.
    let open = questions.sorted { $0.key < $1.key }.map(\.value)
    (questions, hearsMany) = ([:], [])
    for question in open { question.answered(nil) }
    tell(.away(why, at: left))
  }

  // MARK: Saying and asking

  private func send(_ text: String) { line?.send(text) }

  /// Publishes. Does nothing without a connection.
  public func publish(_ payload: [UInt8], to subject: String, replyTo reply: String? = nil, headers: String? = nil) {
    guard info != nil, let line else { return }
    let reply = reply.map { " \($0)" } ?? ""
    guard let headers else {
      return line.send(Array("PUB \(subject)\(reply) \(payload.count)\r\n".utf8) + payload + Array("\r\n".utf8))
    }
    let head = Array("NATS/1.0\r\n\(headers)\r\n\r\n".utf8)
    let start = Array("HPUB \(subject)\(reply) \(head.count) \(head.count + payload.count)\r\n".utf8)
    line.send(start + head + payload + Array("\r\n".utf8))
  }

  /// Asks. `answered` is called once: with the first answer; or with nil, if none has come within so many milliseconds, or the
  /// connection is lost, or there is none. It is never called within this call.
  public func ask(
    _ payload: [UInt8], at subject: String, headers: String? = nil, within milliseconds: Int64,
    _ answered: @escaping (NATSMessage?) -> Void
  ) {
    lastQuestion += 1
    let until = info == nil ? 0 : MonotonicClock.microseconds + milliseconds * 1000
    questions[lastQuestion] = Question(until: until, answered: answered)
    publish(payload, to: subject, replyTo: "\(inbox).\(lastQuestion)", headers: headers)
    // One timer for all: at the latest a look later.
    if questions.count == 1 { setLook() }
  }

  /// Asks all who listen, and hears their answers for so many milliseconds.
  public func askAll(
    _ payload: [UInt8], at subject: String, within milliseconds: Int64, _ heard: @escaping (NATSMessage?) -> Void
  ) {
    ask(payload, at: subject, within: milliseconds, heard)
    hearsMany.insert(lastQuestion)
  }

  /// Questions that may have several answers.
  private var hearsMany: Set<UInt64> = []

  private func answer(_ message: NATSMessage) {
    guard let number = UInt64(message.subject.dropFirst(inbox.utf8.count + 1)), let question = questions[number] else {
      return
    }
    if hearsMany.contains(number), message.status == nil { return question.answered(message) }
    end(number)?.answered(message)
  }

  private func end(_ number: UInt64) -> Question? {
    hearsMany.remove(number)
    return questions.removeValue(forKey: number)
  }

  private func setLook() { lookTimer?.set(microseconds: MonotonicClock.microseconds + NATSClient.look * 1000) }

  private func lookThroughQuestions() {
    let now = MonotonicClock.microseconds
    for number in questions.keys.sorted() where (questions[number]?.until ?? .max) <= now { end(number)?.answered(nil) }
    if !questions.isEmpty { setLook() }
  }
}
