import BatonClient

/// The questions that wait for a person, and those that ended lately. It decides who may see and end which of them. It knows
/// no server, no task and no clock: it is told what happens and when, and says what is to be answered.
struct ApprovalBook {
  typealias Instant = ContinuousClock.Instant

  /// How a question ended.
  enum How: String, Sendable {
    case approved, refused
    /// Nobody decided in time.
    case lapsed
    /// The sender has given it up, or its connection is lost.
    case gone
  }

  /// A question, with what its link needs.
  struct Entry {
    let id: String
    let question: Question
    fileprivate let secret: ApprovalSecret
    fileprivate var wrongPINs = 0
  }

  /// What is left of a question that has ended.
  struct Ended {
    let id: String
    let number: Int
    let topic, from: String
    fileprivate(set) var how: How
    fileprivate(set) var who: String?
    let at: Instant
    fileprivate let secret: ApprovalSecret
  }

  /// A verdict that goes to the server.
  struct Decision {
    let number: Int
    let verdict: Verdict
  }

  private(set) var waiting: [Entry] = []
  private(set) var ended: [Ended] = []
  private var bytes = 0
  private let pin: ApprovalPIN?

  /// The most that wait. The server asks no more than the link's window, unless its file says so.
  static let mostWaiting = 1024
  /// The most bytes of payloads and meta that wait.
  static let mostBytes = 256 << 20
  /// How long those that ended are told, and the most of them.
  static let memory = Duration.seconds(600)
  static let mostEnded = 256
  /// After so many wrong PINs a question is refused.
  static let mostWrongPINs = 5
  /// The most bytes of payload and meta in one answer. Each may become two in a JSON text.
  static let mostText = 256 << 10

  init(pin: ApprovalPIN? = nil) { self.pin = pin }

  // MARK: What happens

  /// A question came. Returns its id and the secret of its link; nil if there is no room.
  mutating func came(_ question: Question) -> (id: String, secret: String)? {
    guard waiting.count < Self.mostWaiting, bytes + question.size <= Self.mostBytes else { return nil }
    let (id, secret) = (String(UInt64.random(in: .min ... .max), radix: 16), ApprovalSecret.text())
    waiting.append(Entry(id: id, question: question, secret: ApprovalSecret(secret)))
    bytes += question.size
    return (id, secret)
  }

  /// Nothing can be sent for a question any more. Returns it if it waited until now.
  mutating func lapsed(_ number: Int, _ how: How, at now: Instant) -> Ended? {
    guard let place = waiting.firstIndex(where: { $0.question.id == number }) else { return nil }
    return end(place, how, nil, at: now)
  }

  /// A decision came too late for the server: it counts for nothing. Returns what is told instead.
  mutating func missed(_ number: Int, at now: Instant) -> Verdict {
    guard let place = ended.lastIndex(where: { $0.number == number }) else {
      return ApprovalRefusal.noSuchQuestion.verdict
    }
    (ended[place].how, ended[place].who) = (.lapsed, nil)
    return ended[place].refusal(at: now).verdict
  }

  /// Answers a person. With a decision, it is sent to the server first, and counts if that takes it. `most` is how many bytes
  /// of text fit into an answer.
  mutating func answer(
    _ request: ApprovalRequest, most: Int = ApprovalBook.mostText, at now: Instant
  ) -> (Verdict, Decision?) {
    ended.removeAll { now - $0.at > Self.memory }
    do throws(ApprovalRefusal) {
      if case .list = request.what { return (.handled(list(at: now)), nil) }
      guard let place = find(request) else {
        let old = try findEnded(request)
        guard case .show = request.what else { throw old.refusal(at: now) }
        return (.handled(old.facts(at: now)), nil)
      }
      let entry = waiting[place]
      if let decision = try takePIN(request, at: place, now) { return decision }
      switch request.what {
      case .list: return (.handled(list(at: now)), nil)
      case .show(let start):
        return (.handled(try entry.shown(from: start, most: min(most, Self.mostText), at: now)), nil)
      case .decide(let given):
        let who = request.name
        let old = end(place, given == .approve ? .approved : .refused, who, at: now)
        return (.handled(["ended": old.how.rawValue]), Decision(number: old.number, verdict: given.sent(by: who)))
      }
    } catch {
      return (error.verdict, nil)
    }
  }

  private func list(at now: Instant) -> ApprovalList {
    let waiting = waiting.sorted { $0.question.id < $1.question.id }
    return ApprovalList(waiting: waiting.map { $0.facts(at: now) }, ended: ended.map { $0.facts(at: now) })
  }

  // MARK: Who may

  /// The place of the question that is asked about; nil if none of those that wait is.
  private func find(_ request: ApprovalRequest) -> Int? {
    let place = waiting.firstIndex { $0.id == request.id }
    if case .link(let secret, _, _) = request.who {
      guard (place.map { waiting[$0].secret } ?? .none).fits(secret) else { return nil }
    }
    return place
  }

  private func findEnded(_ request: ApprovalRequest) throws(ApprovalRefusal) -> Ended {
    let old = ended.last { $0.id == request.id }
    if case .link(let secret, _, _) = request.who, !(old?.secret ?? .none).fits(secret) { throw .noSuchQuestion }
    guard let old else { throw .noSuchQuestion }
    return old
  }

  /// Looks at the PIN of a link. After too many wrong ones the question is refused.
  private mutating func takePIN(
    _ request: ApprovalRequest, at place: Int, _ now: Instant
  ) throws(ApprovalRefusal) -> (Verdict, Decision?)? {
    guard let pin, case .link(_, let given, _) = request.who else { return nil }
    guard let given else { throw ApprovalRefusal("pin_needed", "this link takes a PIN, too") }
    guard !pin.fits(given) else { return nil }
    waiting[place].wrongPINs += 1
    let left = Self.mostWrongPINs - waiting[place].wrongPINs
    guard left <= 0 else {
      throw ApprovalRefusal("wrong_pin", "this PIN is wrong; \(left) more, and the question is refused")
    }
    let number = waiting[place].question.id
    let old = end(place, .refused, "five wrong PINs", at: now)
    return (old.refusal(at: now).verdict, Decision(number: number, verdict: .reject("five wrong PINs")))
  }

  private mutating func end(_ place: Int, _ how: How, _ who: String?, at now: Instant) -> Ended {
    let entry = waiting.remove(at: place)
    bytes -= entry.question.size
    let old = Ended(
      id: entry.id, number: entry.question.id, topic: entry.question.topic, from: entry.question.from, how: how,
      who: who, at: now, secret: entry.secret)
    ended.removeFirst(max(0, ended.count + 1 - Self.mostEnded))
    ended.append(old)
    return old
  }
}

extension ApprovalRequest {
  /// Who it was, for people.
  fileprivate var name: String {
    switch who {
    case .identity(let name): name
    case .link(_, _, let name): name ?? "a link"
    }
  }
}

extension ApprovalRequest.Answer {
  /// The verdict for the server: what is approved goes on as it was asked.
  fileprivate func sent(by who: String) -> Verdict {
    switch self {
    case .approve: .continue(message: "approved by \(who)")
    case .refuse(let reason): .reject("\(reason) (\(who))")
    }
  }
}

extension ApprovalRefusal {
  var verdict: Verdict { .reject(words, code: code) }
}

extension Question {
  fileprivate var size: Int { (payload?.bytes.count ?? 0) + (meta?.bytes.count ?? 0) + 4096 }
}

extension ApprovalBook.Ended {
  /// What whoever is too late is told.
  fileprivate func refusal(at now: ContinuousClock.Instant) -> ApprovalRefusal {
    let by = who.map { " by \($0)" } ?? ""
    return ApprovalRefusal("ended", "this question has ended: \(how.rawValue)\(by), \((now - at).words) ago")
  }
}
