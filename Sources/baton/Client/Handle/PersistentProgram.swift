import BatonClient
import UV

/// One program that serves all messages. It reads offers as the server writes them, one per line, and writes verdicts.
/// When it ends it is started again.
actor PersistentProgram {
  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private let name: String
  private let plan: ChildProcess.Plan
  /// Whether a line says which message has failed; otherwise another one does.
  private let tellsFailures: Bool
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
  /// The id of the last offer. Each connection counts its offers from 1.
  private var lastID = 0

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

  init(_ name: String, _ plan: ChildProcess.Plan, on thread: LoopThread, tellsFailures: Bool) {
    self.name = name
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
    talk("\(name): \(why); starting another program")
    leaving[number] = program
    program.terminate()
    self.program = nil
    failOwed(why)
    start()
  }

  private func hear(_ event: RunningProgram.Event, from number: Int) {
    guard number == self.number else {
      if case .ended = event { leaving[number] = nil }
      return wake()
    }
    switch event {
    case .said(let line):
      if line.contains(where: { !$0.isWhitespace }) { lastLine = line }
    case .output(let bytes):
      for line in lines.take(bytes) where number == self.number { answer(line) }
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
    if let id = asked.message.id {
      // Another connection counts from 1 again. A program with unanswered offers could mean either offer by a number.
      if id <= lastID, !owed.isEmpty { replace(since: "the connection was lost with offers open") }
      lastID = id
      open[asked.number] = asked
    }
    if program == nil { early.append(asked) } else { offer(asked) }
  }

  /// The offer has lapsed: the program is told so, with the server's line.
  func lapsed(_ number: Asked.Number) {
    guard let asked = open.removeValue(forKey: number) else { return }
    early.removeAll { $0.number == number }
    guard owed.contains(where: { $0.number == number }), let id = asked.message.id else { return }
    let (chain, handler) = (Payload(text: asked.message.chain), Payload(text: asked.message.handler))
    program?.send(Array("{\"op\":\"lapsed\",\"id\":\(id),\"chain\":\(chain),\"handler\":\(handler)}\n".utf8))
    if owed.count > Self.mostOwed { replace(since: "the program leaves too many offers unanswered") }
  }

  private func offer(_ asked: Asked) {
    guard let program, program.unreadCount < Self.mostUnread else {
      if tellsFailures { talk("\(asked.message.words): failed: the program does not read its input") }
      return settle(asked, .failed("the program does not read its input"))
    }
    if asked.message.id != nil { owed.append(asked) }
    program.send(asked.message.line.bytes + [UInt8(ascii: "\n")])
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
      talk("\(name): the program wrote a line that is not a verdict: \(error): \(line)")
      refuse(error.id, "the program wrote a line that is not a verdict: \(line)")
    }
  }

  /// Fails the offer that a line answers with what is no verdict: the one that it names, else the oldest.
  private func refuse(_ id: Int?, _ why: String) {
    guard let index = id.map({ id in owed.firstIndex { $0.message.id == id } }) ?? owed.indices.first else { return }
    settle(owed.remove(at: index), .failed(why))
  }

  private func answer(_ line: VerdictLine) throws(VerdictLine.Fault) {
    let index = line.id.map { id in owed.firstIndex { $0.message.id == id } } ?? owed.indices.first
    guard let index else { throw VerdictLine.Fault("it answers an offer that is not open", id: line.id ?? Self.nobody) }
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

  /// Distinguishes messages of different connections that have the same id.
  let number: Number
  let message: Message
  /// Takes the verdict; nil for a notice.
  let verdict: AsyncStream<Verdict>.Continuation?
}
