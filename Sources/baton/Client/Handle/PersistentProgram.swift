import BatonClient
import UV

/// One program that serves all messages. It reads offers as the server writes them, one per line, and writes verdicts. It
/// knows offers by numbers that never come again, whatever connection they are of. When it ends, or when nobody can know
/// any more which offers it answers, it is started again.
actor PersistentProgram {
  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private let name: String
  private let plan: ChildProcess.Plan
  /// Whether a line says which message has failed; otherwise another one does.
  private let tellsFailures: Bool
  /// Whether each verdict has to name its offer, because no message may pass with the verdict on another one.
  private let needsIDs: @Sendable () -> Bool
  private let watch: ChildWatch
  private var program: RunningProgram?
  /// Counts the programs that were started.
  private var number = 0
  /// Earlier programs that have not ended yet, by their numbers.
  private var leaving: [Int: RunningProgram] = [:]
  private var backoff = Backoff()
  private var lines = LineGatherer()
  private var lastLine: String?

  /// Offers that wait for a verdict.
  private var open: [Asked.Number: Asked] = [:]
  /// Offers that the program knows of and has not answered, the oldest first. Some have lapsed.
  private var owed: [Asked] = []
  /// Messages that came while there was no program.
  private var early: [Asked] = []

  private var isFinished = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private static let mostOwed = 10_000
  private static let mostUnread = 64 << 20
  /// As long as the longest line that the server takes, as the last offer said.
  private var longestLine = 1 << 20
  /// How many bytes of a line that is no verdict are quoted.
  private static let mostQuoted = 256
  /// The id of no offer.
  private static let nobody = 0

  init(
    _ name: String, _ plan: ChildProcess.Plan, on thread: LoopThread, tellsFailures: Bool,
    needsIDs: @escaping @Sendable () -> Bool
  ) {
    self.name = name
    self.needsIDs = needsIDs
    self.tellsFailures = tellsFailures
    self.plan = plan
    self.thread = thread
    watch = ChildWatch(on: thread)
  }

  // MARK: The program

  /// Starts the program if none runs.
  func start() {
    guard program == nil, !isFinished else { return }
    number += 1
    let number = number
    (lines, lastLine) = (LineGatherer(), nil)
    do {
      program = try RunningProgram(plan, on: thread.loop, watch) { [unowned self] event in
        assumeIsolated { $0.hear(event, from: number) }
      }
    } catch {
      return startLater(after: "\(plan.path) cannot be started: \(error)")
    }
    let early = early
    self.early = []
    for asked in early { offer(asked) }
  }

  private func startLater(after why: String) {
    let delay = backoff.next()
    talk("\(name): \(why); starting it again in \(delay / .milliseconds(1)) ms")
    Task {
      try? await Task.sleep(for: delay)
      start()
    }
  }

  /// Ends the program in good order, and waits until it has ended.
  func finish() async {
    isFinished = true
    program?.finish()
    while program != nil || !leaving.isEmpty { await withCheckedContinuation { waiting.append($0) } }
  }

  /// Ends the program, which cannot be used any more, and starts another.
  private func replace(since why: String) {
    guard let program else { return }
    leaving[number] = program
    program.terminate()
    self.program = nil
    failOwed(why)
    if isFinished { talk("\(name): \(why)") } else { startLater(after: why) }
  }

  private func hear(_ event: RunningProgram.Event, from number: Int) {
    if leaving[number] != nil {
      if case .ended = event { leaving[number] = nil }
      return wake()
    }
    switch event {
    case .said(let line):
      if line.contains(where: { !$0.isWhitespace }) { lastLine = line }
    case .output(let bytes):
      for line in lines.take(bytes) where leaving[number] == nil { answer(line) }
      if lines.unfinished.count > longestLine { replace(since: "the program wrote a line that is too long") }
    case .ended(let ending):
      program = nil
      failOwed(lastLine ?? ending.words)
      if !isFinished { startLater(after: ending.words) }
      wake()
    }
  }

  private func wake() {
    let all = waiting
    waiting = []
    for continuation in all { continuation.resume() }
  }

  // MARK: Messages

  /// Gives a message to the program, or keeps it until there is a program.
  func take(_ asked: Asked) {
    longestLine = asked.message.maxLine
    if asked.isOffer { open[asked.number] = asked }
    if program == nil { early.append(asked) } else { offer(asked) }
  }

  /// The offer has lapsed, or its connection was lost: the program is told so, as by the server.
  func lapsed(_ number: Asked.Number) {
    guard let asked = open.removeValue(forKey: number) else { return }
    early.removeAll { $0.number == number }
    guard owed.contains(where: { $0.number == number }) else { return }
    let (chain, handler) = (Payload(text: asked.message.chain), Payload(text: asked.message.handler))
    program?.send(Array("{\"op\":\"lapsed\",\"id\":\(number),\"chain\":\(chain),\"handler\":\(handler)}\n".utf8))
    if owed.count > Self.mostOwed { replace(since: "the program leaves too many offers unanswered") }
  }

  private func offer(_ asked: Asked) {
    guard let program, program.unreadCount < Self.mostUnread else {
      if tellsFailures { talk("\(asked.message.words): failed: the program does not read its input") }
      return settle(asked, .failed("the program does not read its input"))
    }
    if asked.isOffer { owed.append(asked) }
    program.send(asked.line)
  }

  private func settle(_ asked: Asked, _ verdict: Verdict) {
    guard open.removeValue(forKey: asked.number) != nil else { return }
    asked.verdict?.yield(verdict)
    asked.verdict?.finish()
  }

  private func failOwed(_ why: String) {
    let all = owed
    owed = []
    for asked in all where open[asked.number] != nil {
      if tellsFailures { talk("\(asked.message.words): failed: \(why)") }
      settle(asked, .failed(why))
    }
  }

  // MARK: Verdicts

  private func answer(_ bytes: [UInt8]) {
    guard bytes.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { return }
    do throws(VerdictLine.Fault) {
      try answer(VerdictLine(bytes))
    } catch {
      let line = LineGatherer.text(bytes, upTo: Self.mostQuoted)
      let what = "the program wrote a line that is not a verdict"
      // It may be for any of them, and so may all that the program writes from now on.
      if error.id == nil, owed.count > 1 { return replace(since: "\(what): \(error): \(line)") }
      talk("\(name): \(what): \(error): \(line)")
      guard let index = index(of: error.id) else { return }
      settle(owed.remove(at: index), .failed("\(what): \(line)"))
    }
  }

  /// The offer of that number, or, without one, the oldest that the program has not answered.
  private func index(of id: Int?) -> Int? {
    id.map { id in owed.firstIndex { $0.number == id } } ?? owed.indices.first
  }

  private func answer(_ line: VerdictLine) throws(VerdictLine.Fault) {
    if line.id == nil, owed.count > 1 || needsIDs() {
      let why = owed.count > 1 ? "\(owed.count) offers wait for answers" : "this link may stop messages"
      throw VerdictLine.Fault("it has no \"id\", and needs it, because \(why)")
    }
    guard let index = index(of: line.id) else {
      throw VerdictLine.Fault("it answers an offer that is not open", id: line.id ?? Self.nobody)
    }
    let asked = owed[index]
    if line.isWorking {
      if open[asked.number] != nil { Task { await asked.message.working() } }
      return
    }
    owed.remove(at: index)
    backoff.succeeded()
    settle(asked, .line(line))
  }
}

/// A message on its way to a persistent program.
struct Asked: Sendable {
  typealias Number = Int

  /// The offer's number for the program: each connection counts from 1 again, and a program may answer twice, or late.
  let number: Number
  let message: Message
  /// Takes the verdict; nil for a notice.
  let verdict: AsyncStream<Verdict>.Continuation?

  var isOffer: Bool { message.id != nil }

  /// The line that the program reads, ended.
  var line: [UInt8] {
    let (bytes, end) = (message.line.bytes, [UInt8(ascii: "\n")])
    guard isOffer, let place = ServerLine(bytes)?.range(of: "id") else { return bytes + end }
    return bytes[..<place.lowerBound] + "\(number)".utf8 + bytes[place.upperBound...] + end
  }
}
