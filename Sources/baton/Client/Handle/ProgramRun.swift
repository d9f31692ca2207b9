import UV

/// One run of a program: its input and its outcome.
actor ProgramRun {
  /// The outcome of a run.
  struct Outcome: Sendable {
    let ending: ChildProcess.Ending
    /// What it wrote to its standard output.
    let output: [UInt8]
    /// The beginning of its standard error, as long as a message may be.
    let said: String
    /// The last line of it that is not blank.
    let lastLine: String?
    /// How many bytes it may write, if it was ended because it wrote more.
    let isTooMuch: Int?
  }

  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private let plan: ChildProcess.Plan
  private var program: RunningProgram?
  private var waiting: CheckedContinuation<Outcome, Never>?
  private var isCancelled = false
  private var output: [UInt8] = []
  private var said = ""
  private var lastLine: String?
  private var isTooMuch = false

  private let watch: ChildWatch
  /// How many bytes it may write to its standard output: more do not fit into a line.
  private let mostOutput: Int
  private static let mostSaid = 4096

  init(_ plan: ChildProcess.Plan, on thread: LoopThread, _ watch: ChildWatch, mostOutput: Int) {
    self.plan = plan
    self.thread = thread
    self.watch = watch
    self.mostOutput = mostOutput
  }

  /// Starts the program, gives it `input`, and waits until it has ended. Cancelling the task ends the program.
  nonisolated func outcome(input: [UInt8]) async throws -> Outcome {
    try await withTaskCancellationHandler {
      try await run(input)
    } onCancel: {
      Task { await cancel() }
    }
  }

  private func cancel() {
    isCancelled = true
    program?.terminate()
  }

  private func run(_ input: [UInt8]) async throws -> Outcome {
    if isCancelled || Task.isCancelled { throw CancellationError() }
    let started = try RunningProgram(plan, on: thread.loop, watch) { [unowned self] event in
      assumeIsolated { $0.hear(event) }
    }
    program = started
    started.send(input)
    started.endInput()
    return await withCheckedContinuation { waiting = $0 }
  }

  private func hear(_ event: RunningProgram.Event) {
    switch event {
    case .output(let bytes):
      guard !isTooMuch else { return }
      output += bytes
      guard output.count > mostOutput else { return }
      isTooMuch = true
      program?.terminate()
    case .said(let line):
      if said.utf8.count < Self.mostSaid { said += said.isEmpty ? line : "\n" + line }
      if line.contains(where: { !$0.isWhitespace }) { lastLine = line }
    case .ended(let ending):
      program = nil
      let outcome = Outcome(
        ending: ending, output: output, said: said, lastLine: lastLine, isTooMuch: isTooMuch ? mostOutput : nil)
      waiting?.resume(returning: outcome)
      waiting = nil
    }
  }
}

extension ProgramRun.Outcome {
  /// Why it counts as failed: the last line of its standard error, or how it ended.
  var failure: String {
    isTooMuch.map { "the program wrote more than \($0) bytes, and the server takes no longer line" }
      ?? lastLine ?? ending.words
  }
}

extension ChildProcess.Ending {
  /// How it ended, for people.
  var words: String {
    switch self {
    case .exited(let code): "the program ended with exit code \(code)"
    case .killed(let signal): "the program was ended by signal \(signal)"
    }
  }
}
