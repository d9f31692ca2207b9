import ArgumentParser
import BatonClient

/// Sends each line of standard input as one message, many at a time, and prints the results in the order of the input.
struct LineSender {
  /// How many messages may be under way. Messages with a key would wait for each other anyway.
  private let most: Int
  private let sender: MessageSender
  private let members: RequestMembers
  private let kind: PayloadArgument.Kind
  private let topic: String
  private let form: OutputForm

  init(
    _ sender: MessageSender, members: RequestMembers, _ kind: PayloadArgument.Kind, topic: String, isKeyed: Bool,
    _ form: OutputForm
  ) {
    self.sender = sender
    self.members = members
    self.kind = kind
    self.topic = topic
    most = isKeyed ? 1 : 64
    self.form = form
  }

  /// A message under way: its outcome and how long it took.
  private typealias Work = Task<(Outcome, Duration), any Error>

  /// Ends when all have their results. Throws the exit code of the first that was not handled. After Ctrl-C no more lines
  /// are read.
  func run(_ interrupt: Interrupt) async throws {
    let (room, taken) = AsyncStream<Void>.makeStream()
    for _ in 0..<most { taken.yield() }
    let (works, queue) = AsyncThrowingStream<Work, any Error>.makeStream()
    await interrupt.then { queue.finish() }
    // Nothing waits for this task: if the printing ends early, the task may still wait for standard input.
    Task { await read(whereThereIs: room, into: queue, interrupt) }
    var results = ManyResults(topic: topic, unit: "line", form, mayAskForWalks: await sender.maySeeSomeChain)
    do {
      for try await work in works {
        let (outcome, time) = try await work.value
        try results.add(outcome, after: time)
        taken.yield()
      }
    } catch {
      results.end()
      if error is BatonError {
        let all = counted(results.count, "line has its result", "lines have their results")
        talk("baton: \(all); more may have been carried out")
      }
      throw error
    }
    results.end()
    if await interrupt.hasCome { throw ExitCode.interrupted }
    if let code = results.firstFault { throw code }
  }

  private func read(
    whereThereIs room: AsyncStream<Void>, into queue: AsyncThrowingStream<Work, any Error>.Continuation,
    _ interrupt: Interrupt
  ) async {
    var room = room.makeAsyncIterator()
    do {
      while let line = try await StandardInput.line() {
        await room.next()
        queue.yield(try await send(line))
      }
      queue.finish()
    } catch {
      // After Ctrl-C no message is taken any more.
      if await interrupt.hasCome { return }
      queue.finish(throwing: error)
    }
  }

  private func send(_ line: [UInt8]) async throws -> Work {
    guard let text = String(validating: line, as: UTF8.self) else {
      return Work { (.refused(.notJSON(String(decoding: line.prefix(80), as: UTF8.self))), .zero) }
    }
    var members = members
    do { members.add("payload", try PayloadArgument.value(ofText: text, as: kind)) } catch let error as ValidationError
    {
      return Work { (.refused(.refused(code: "bad_json", message: error.message)), .zero) }
    }
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = try await sender.beginOneAmongMany(members)
    return Work { (try await outcome.value, clock.now - start) }
  }
}
