import ArgumentParser
import BatonClient

/// Sends each line of standard input as one message, many at a time, and prints the results in the order of the input.
struct LineSender {
  /// How many messages may be under way. Messages with a key would wait for each other anyway.
  private let most: Int
  private let members: RequestMembers
  private let topic: String
  private let form: OutputForm

  init(members: RequestMembers, topic: String, isKeyed: Bool, _ form: OutputForm) {
    self.members = members
    self.topic = topic
    most = isKeyed ? 1 : 64
    self.form = form
  }

  /// A message under way: its outcome and how long it took.
  private typealias Work = Task<(Outcome, Duration), any Error>

  /// Ends when all have their results. Throws the exit code of the first that was not handled. After Ctrl-C no more lines
  /// are read.
  func run(_ client: Client, _ interrupt: Interrupt) async throws {
    let (room, taken) = AsyncStream<Void>.makeStream()
    for _ in 0..<most { taken.yield() }
    let (works, queue) = AsyncThrowingStream<Work, any Error>.makeStream()
    await interrupt.then { queue.finish() }
    // Nothing waits for this task: if the printing ends early, the task may still wait for standard input.
    Task { await read(whereThereIs: room, into: queue, client, interrupt) }
    var tally = Tally(isShown: form != .people && Terminal.isTalk)
    do {
      for try await work in works {
        let (outcome, time) = try await work.value
        tally.count(outcome)
        try tell(outcome, after: time, line: tally.total)
        taken.yield()
      }
    } catch {
      tally.end()
      if error is BatonError {
        talk(
          "baton: \(counted(tally.total, "line has its result", "lines have their results")); more may have been carried out"
        )
      }
      throw error
    }
    tally.end()
    if await interrupt.hasCome { throw ExitCode.interrupted }
    if let code = tally.firstFault { throw code }
  }

  private func read(
    whereThereIs room: AsyncStream<Void>, into queue: AsyncThrowingStream<Work, any Error>.Continuation,
    _ client: Client, _ interrupt: Interrupt
  ) async {
    var room = room.makeAsyncIterator()
    do {
      while let line = try await StandardInput.line() {
        await room.next()
        queue.yield(try await send(line, client))
      }
      queue.finish()
    } catch {
      // After Ctrl-C no message is taken any more.
      if await interrupt.hasCome { return }
      queue.finish(throwing: error)
    }
  }

  private func send(_ line: [UInt8], _ client: Client) async throws -> Work {
    guard let text = String(validating: line, as: UTF8.self) else {
      return Work { (.refused(.notJSON(String(decoding: line.prefix(80), as: UTF8.self))), .zero) }
    }
    var members = members
    members.add("payload", PayloadArgument.value(ofText: text))
    let clock = ContinuousClock()
    let start = clock.now
    let pending = try await client.begin("send", members.all)
    return Work {
      do { return (try await Outcome(of: pending), clock.now - start) } catch let error as BatonError {
        guard case .refused = error else { throw error }
        return (.refused(error), clock.now - start)
      }
    }
  }

  private func tell(_ outcome: Outcome, after time: Duration, line: Int) throws {
    switch form {
    case .json: try put(outcome.line?.bytes ?? outcome.errorLine)
    case .people: try outcome.tell(as: form, after: time, topic: topic)
    case .program:
      try put(outcome.fields)
      guard outcome.exitCode != .success else { return }
      let failures = outcome.failures
      if case .ended(let result) = outcome, result.message == nil, failures.isEmpty { return }
      talk((["line \(line): \(outcome.sentence(after: time))"] + failures).joined(separator: "; "))
    }
  }
}

extension Outcome {
  /// The links that failed the message and were passed by.
  fileprivate var failures: [String] {
    guard case .ended(let result) = self else { return [] }
    return WalkStory(result)?.failures?.map(\.words) ?? []
  }

  /// A line for programs if there is no line of the server.
  fileprivate var errorLine: [UInt8] {
    if case .unsent = self {
      return Array(#"{"op":"error","code":"cancelled","message":"it was cancelled before it was sent"}"#.utf8)
    }
    guard case .refused(let error) = self else { return [] }
    var code = "bad_text"
    var message = error.description
    if case .refused(let its, let words) = error { (code, message) = (its, words) }
    let (codeText, messageText) = (Payload(text: code).json, Payload(text: message).json)
    return Array(#"{"op":"error","code":\#(codeText),"message":\#(messageText)}"#.utf8)
  }
}

/// Counts how messages ended. On a terminal, the counts are shown while they grow.
private struct Tally {
  private(set) var total = 0
  private(set) var firstFault: ExitCode?
  private var counts: [String: Int] = [:]
  private let isShown: Bool
  private var shownAt = ContinuousClock.now

  init(isShown: Bool) { self.isShown = isShown }

  mutating func count(_ outcome: Outcome) {
    total += 1
    counts[outcome.name, default: 0] += 1
    if firstFault == nil, outcome.exitCode != .success { firstFault = outcome.exitCode }
    guard isShown, total == 1 || ContinuousClock.now - shownAt >= .milliseconds(100) else { return }
    shownAt = .now
    showProgress(words)
  }

  func end() {
    guard isShown else { return }
    showProgress("")
    talk(words)
  }

  private var words: String {
    let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return (["\(counted(total, "message", "messages"))"] + parts).joined(separator: ", ")
  }
}
