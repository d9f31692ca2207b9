import FuzzKit
import ProgramKit
import UV

/// What a mutant peer has to tell the run.
protocol MutantPeerOwner: AnyObject {
  /// It has sent this line.
  func sent(_ line: [UInt8], by peer: MutantPeer)
  /// What became of a line of this kind is now known.
  func settled(_ kind: String, _ fate: Exchange.Fate)
  /// Its connection ended before that was known.
  func lostLine()
  /// The message of this name has ended, and is no dead letter.
  func ended(_ stored: [UInt8])
  /// It has come as far as its approach should bring it, which has this name.
  func reached(_ goal: String)
  /// The server did what it must not do.
  func faulted(_ peer: MutantPeer, _ fault: String)
  /// Its connection is closed.
  func left(_ peer: MutantPeer)
}

/// One connection that sends mutated lines in its own manner, answers offers between them, and leaves.
final class MutantPeer: LineStreamOwner {
  let number: Int
  private let manner: Manner
  private let approach: Approach
  private let household: Household
  private let stream: LineStream
  unowned let owner: any MutantPeerOwner
  private var mutator: DialogueMutator
  private var generator: SeededGenerator
  /// The bytes that wait to be written.
  private var outgoing: [UInt8] = []
  /// Lines that were sent and are not settled, oldest first.
  private var open: [Exchange] = []
  /// Lines whose answers come in their own time, by their `id`.
  var late: [String: LateLine] = [:]
  private var sentLines = 0
  private var settledLines = 0
  /// Offers of the server that this peer has not answered.
  private var offers: [Int] = []
  private var resultsDue = 0
  /// Reloads that asked for no reply: each may have had an error, which counts as a result.
  private var quietReloads = 0
  private var results = 0
  /// Lines that the server refused with an error that counts towards `too_many_errors`.
  var errors = 0
  /// The run's ticks until it leaves.
  private var ticksLeft: Int
  /// The number of the run's ticks for which it still does not read.
  private var deafTicks = 0
  private var wasDeaf = false
  private var isConnected = false
  /// Whether it waits for the answer to its greeting.
  private var isGreeting = false
  private var isLeaving = false
  /// It sends nothing more, and leaves in its manner.
  private var hasEnough = false
  private var hasHalfClosed = false
  private var hasBrokenOff = false
  /// It has closed, or the server has said that it will close.
  private var isOver = false

  init(
    number: Int, seed: UInt64, source: DialogueMutator.Source, server: RunningServer, household: Household, loop: Loop,
    owner: any MutantPeerOwner
  ) throws {
    self.number = number
    self.owner = owner
    mutator = DialogueMutator(seed: seed, peer: number, source: source)
    generator = SeededGenerator(seed: seed ^ UInt64(number) << 32)
    manner = Manner(using: &generator)
    ticksLeft = manner.ticks
    approach = Approach(using: &generator)
    self.household = household
    let context = approach.isEncrypted && approach.harm != .plainText ? household.context : nil
    stream = try LineStream(server.places[approach.isEncrypted ? 1 : 0], context, on: loop)
    stream.owner = self
    if let grain = approach.grain { stream.grain = grain }
    if approach.harm == .brokenHandshake {
      stream.isToBeDamaged = true
      hasBrokenOff = true
    }
  }

  /// Call this at every tick of the run.
  func tick() {
    ticksLeft -= 1
    if ticksLeft == 0 { return leave() }
    guard deafTicks > 0 else { return }
    deafTicks -= 1
    if deafTicks == 0 { stream.setReading(true) }
  }

  /// Sends nothing more, and leaves in good order.
  func leave() {
    guard !isLeaving, !isOver else { return }
    isLeaving = true
    listen()
    goOn()
  }

  /// Ends the connection at once.
  func close() {
    isOver = true
    stream.close()
  }

  // MARK: Speaking

  private var isDone: Bool { isLeaving || hasEnough || sentLines >= manner.lines }

  /// Whether it leaves in good order before its errors end the connection: then nothing may be missing at its end. A
  /// diligent handler stays for offers.
  private var isDiscreet: Bool { [.halfCloses, .closes].contains(manner.farewell) && manner.diligence != .diligent }

  /// Whether some more errors would end the connection.
  private var isNearTheEnd: Bool { errors + open.count > 80 }

  /// Sends as much as its window allows; leaves once it is done.
  private func goOn() {
    guard isConnected, !isGreeting, !isOver else { return }
    if sentLines > 10, !hasBrokenOff, let harm = approach.harm { suffer(harm) }
    if isDiscreet, isNearTheEnd { hasEnough = true }
    let window = deafTicks > 0 ? 200 : manner.window
    while !isDone, open.count < window, let line = nextLine() { say(line) }
    write()
    if isDone, outgoing.isEmpty, !stream.isWriting { takeLeave() }
  }

  /// What to send next. Nil if one more error could end the connection of a diligent handler: it waits for offers
  /// instead.
  private func nextLine() -> [UInt8]? {
    if offers.isEmpty, manner.diligence == .diligent, isNearTheEnd { return nil }
    // Now and then it shows the other identity's token, which it may have if nothing here is its own.
    if approach.credential != .none, Int.random(in: 0..<100, using: &generator) == 0 {
      return Array(Household.hello(household.otherToken).utf8)
    }
    guard !offers.isEmpty, manner.diligence != .idle else { return mutator.request() }
    let isPlain = manner.diligence == .diligent
    guard isPlain || Bool.random(using: &generator) else { return mutator.request() }
    return mutator.verdict(for: offers.removeFirst(), plain: isPlain)
  }

  /// Its connection is harmed from outside.
  private func suffer(_ harm: Approach.Harm) {
    switch harm {
    case .damagedRecord:
      owner.reached(harm.rawValue)
      stream.isToBeDamaged = true
      hasBrokenOff = true
    case .cutRecord:
      owner.reached(harm.rawValue)
      isOver = true
      stream.breakOff(within: mutator.request()[...])
    case .brokenHandshake, .plainText: break
    }
  }

  private func say(_ line: [UInt8]) {
    sentLines += 1
    let (line, lateID) = label(line, sentLines)
    open.append(Exchange(line: line, lateID: lateID))
    outgoing += line
    outgoing += "\n{\"op\":\"ping\",\"id\":\"fence \(sentLines)\"}\n".utf8
    owner.sent(line, by: self)
    if manner.isDeafAtTimes, deafTicks == 0, Int.random(in: 0..<100, using: &generator) == 0 {
      deafTicks = .random(in: 1...60, using: &generator)
      wasDeaf = true
      stream.setReading(false)
    }
  }

  private func write() {
    guard !outgoing.isEmpty, !stream.isWriting else { return }
    // A peer that writes byte by byte does so only for some lines, or its lines would take too long.
    let grain = sentLines % 8 == 0 ? manner.grain : max(manner.grain, 1500)
    let count = min(outgoing.count, Int.random(in: 1...grain, using: &generator))
    stream.write(outgoing.prefix(count))
    outgoing.removeFirst(count)
  }

  private func takeLeave() {
    switch isLeaving ? .halfCloses : manner.farewell {
    case .halfCloses:
      guard !hasHalfClosed else { return }
      hasHalfClosed = true
      listen()
      stream.halfClose()
    case .closes: if open.isEmpty, !isOwedLate { close() }
    case .hangsUp: close()
    case .breaksOff:
      guard !hasBrokenOff else { return close() }
      hasBrokenOff = true
      stream.write(mutator.request().dropLast()[...].prefix(LineStream.writeSize))
    }
  }

  private func listen() {
    deafTicks = 0
    stream.setReading(true)
  }

  // MARK: Listening

  func connected() {
    isConnected = true
    if approach.isEncrypted, approach.harm != .plainText {
      owner.reached(Approach.overTLS)
      if approach.grain != nil { owner.reached(Approach.inPieces) }
    }
    guard approach.harm != .plainText, let greeting = approach.greeting(household, using: &generator) else {
      return goOn()
    }
    isGreeting = true
    stream.write(Array("\(greeting)\n".utf8)[...])
  }

  /// The server has answered the greeting.
  private func takeWelcome(_ answer: ServerLine) {
    isGreeting = false
    let isGood = approach.credential == .right || approach.credential == .other
    guard answer.op == (isGood ? "welcome" : "error"), answer.code == (isGood ? "" : "auth_failed") else {
      return fault("\(approach.credential.rawValue): \(answer.op) \(answer.code)")
    }
    owner.reached(approach.credential.rawValue)
    if isGood { goOn() } else { close() }
  }

  /// What the server says to somebody that it does not know, or that speaks plain text where it speaks TLS. Returns
  /// false if it is as always.
  private func isTurnedAway(_ answer: ServerLine) -> Bool {
    if approach.harm == .plainText {
      guard answer.code == "not_json_lines" else {
        fault("plain text was answered by \(answer.op) \(answer.code)")
        return true
      }
      owner.reached(Approach.Harm.plainText.rawValue)
      close()
      return true
    }
    guard approach.credential == .none else { return false }
    switch answer.op {
    case "welcome", "pong", "help", "ping": return false
    case "error" where ["auth_required", "auth_failed"].contains(answer.code) || Self.lastWords.contains(answer.code):
      if answer.code == "auth_required" { owner.reached(approach.credential.rawValue) }
      close()
      return true
    case "error": return false
    default:
      fault("a stranger gets \(answer.op)")
      return true
    }
  }

  /// After these errors, a stranger's connection is closed.
  private static let lastWords = ["bad_json", "too_deep", "line_too_long", "too_many_connections"]

  func wrote() { goOn() }

  func received(_ line: [UInt8]) {
    guard let answer = ServerLine(line) else { return fault("the server sent no message: \(Self.told(line))") }
    if isGreeting { return takeWelcome(answer) }
    if isTurnedAway(answer) { return }
    mutator.seen.take(line, op: answer.op)
    switch answer.op {
    case _ where answer.isLate: takeLate(answer, line, answer.id)
    case "offer":
      if let id = Int(answer.id) { offers.append(id) }
    case "result": results += 1
    case _ where answer.isReload: results += 1
    case "pong" where answer.id == "\"fence \(settledLines + 1)\"": settle()
    case "error" where answer.isClosing:
      // Nothing that is sent from now on is carried out.
      return close()
    case "error" where answer.code == "not_json_lines": fault("cut for a line that began with {")
    case "error",
      _ where answer.isReply:
      // A line that has no `id`, or two, gets its error at once, and without one.
      if let id = open.first?.lateID { takeLate(answer, line, id) } else if !open.isEmpty { open[0].take(answer) }
    default: break
    }
    if !isDone { goOn() } else if manner.farewell == .closes, outgoing.isEmpty { goOn() }
  }

  private func settle() {
    let exchange = open.removeFirst()
    settledLines += 1
    guard exchange.lateID == nil else { return }
    if exchange.fate == .malformed || ["unknown_offer", "missing_id"].contains(exchange.errors.first) { errors += 1 }
    if exchange.owesResult { resultsDue += 1 }
    if exchange.mayGetError { quietReloads += 1 }
    if let fault = exchange.fault { self.fault("\(fault) to \(Self.told(exchange.line))") }
    owner.settled(exchange.kind, exchange.fate)
  }

  func cut() {
    if !isOver, !wasDeaf, !hasBrokenOff { fault("the server closed without close_notify") }
    if hasBrokenOff, approach.harm == .brokenHandshake { owner.reached(Approach.Harm.brokenHandshake.rawValue) }
    close()
  }

  func ended() {
    if approach.isEncrypted, hasHalfClosed { owner.reached(Approach.endInOrder) }
    if !hasHalfClosed, !isOver, !wasDeaf { fault("the server closed without a reason") }
    if hasHalfClosed, !isOver {
      if !open.isEmpty { fault("\(open.count) lines before the half-close were not answered") }
      settleLate()
      if !(resultsDue...resultsDue + quietReloads).contains(results) {
        fault("\(results) results came, \(resultsDue) were due")
      }
    }
    close()
  }

  func failed(_ error: String) {
    if hasBrokenOff, approach.harm == .brokenHandshake { owner.reached(Approach.Harm.brokenHandshake.rawValue) }
    if !isOver, !wasDeaf, !hasBrokenOff { fault("the connection broke: \(error)") }
    close()
  }

  func closed() {
    isOver = true
    for exchange in open where exchange.lateID == nil { owner.lostLine() }
    for line in late.values where line.fate == nil { owner.lostLine() }
    (open, late) = ([], [:])
    owner.left(self)
  }

  func fault(_ fault: String) { owner.faulted(self, fault) }

  static func told(_ line: [UInt8]) -> String {
    let text = String(decoding: line.prefix(400), as: UTF8.self)
    return line.count > 400 ? "\(text)… (\(line.count) bytes)" : text
  }
}
