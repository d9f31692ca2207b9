import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A program that was started, with pipes to it, in its own process group. Its standard error is passed on line by
/// line. Lives on its loop's thread.
final class RunningProgram {
  /// What the owner is told.
  enum Event: Sendable {
    case output([UInt8])
    case said(String)
    /// It has ended, and nothing more comes. If it was told to end, all of its group has ended, too.
    case ended(ChildProcess.Ending)
  }

  private let tell: @Sendable (Event) -> Void
  private let watch: ChildWatch
  /// The number of its process, which leads a group.
  private var group: Int32 = 0
  private var process: ChildProcess?
  private var input: ProgramInput?
  private var outputs: [ProgramOutput] = []
  private var errors = LineGatherer()
  private var ending: ChildProcess.Ending?
  /// Ticks while the program is being ended.
  private var clock: Timer?
  private var steps: [Step] = []

  /// A step to end a program that does not end by itself.
  private struct Step {
    let due: Int64
    let signal: Int32
  }

  /// How long a program may take to end after a signal.
  private static let grace: Int64 = 2_000_000
  /// How long to wait for killed processes, in case no parent collects their exit codes.
  private static let last: Int64 = 500_000
  private static let tick: Int64 = 20_000
  /// A longer line of standard error is passed on in parts.
  private static let longestLine = 64 << 10

  /// Starts the program. Throws if it cannot be started.
  init(
    _ plan: ChildProcess.Plan, on loop: Loop, _ watch: ChildWatch, tell: @escaping @Sendable (Event) -> Void
  ) throws(UVError) {
    self.tell = tell
    self.watch = watch
    var plan = plan
    plan.hasInput = true
    plan.hasErrors = true
    plan.isApart = true
    watch.assumeIsolated { $0.begins() }
    let process = try ChildProcess(plan, on: loop) { [weak self] in self?.hasEnded($0) }
    self.process = process
    let group = process.pid
    self.group = group
    watch.assumeIsolated { $0.began(group) }
    input = process.input.map { ProgramInput($0) }
    outputs = [try ProgramOutput(process.output) { [weak self] in self?.tell(.output($0)) }]
    if let errors = process.errors { outputs.append(try ProgramOutput(errors) { [weak self] in self?.hear($0) }) }
  }

  /// Bytes that the program has not read yet.
  var unreadCount: Int { input?.unsentCount ?? 0 }

  func send(_ bytes: [UInt8]) { input?.send(bytes) }

  func endInput() { input?.end() }

  /// Tells the program and all of its group to end, and kills what is left after two seconds. What has left the group
  /// (`setsid`) goes on.
  func terminate() {
    guard steps.isEmpty, let process else { return }
    process.killGroup(signal: SIGTERM)
    leave([(Self.grace, SIGKILL), (Self.grace + Self.last, SIGKILL)])
  }

  /// Ends the program's input. The program has two seconds to end by itself before it gets a signal.
  func finish() {
    guard steps.isEmpty else { return }
    endInput()
    leave([(Self.grace, SIGTERM), (2 * Self.grace, SIGKILL), (2 * Self.grace + Self.last, SIGKILL)])
  }

  private func leave(_ steps: [(wait: Int64, signal: Int32)]) {
    let now = MonotonicClock.microseconds
    self.steps = steps.map { Step(due: now + $0.wait, signal: $0.signal) }
    guard let process, let clock = try? Timer(on: process.loop, action: { [weak self] in self?.goOn() }) else {
      process?.killGroup(signal: SIGKILL)
      return
    }
    self.clock = clock
    clock.set(microseconds: MonotonicClock.microseconds + Self.tick)
  }

  private func goOn() {
    guard let process else { return }
    if ending != nil, !process.hasGroup { return close() }
    if let step = steps.first, MonotonicClock.microseconds >= step.due {
      process.killGroup(signal: step.signal)
      steps.removeFirst()
      if ending != nil, steps.isEmpty { return close() }
    }
    clock?.set(microseconds: MonotonicClock.microseconds + Self.tick)
  }

  private func hear(_ bytes: [UInt8]) {
    for line in errors.take(bytes) { pass(line) }
    if errors.unfinished.count > Self.longestLine, let part = errors.rest() { pass(part) }
  }

  private func pass(_ line: [UInt8]) {
    let text = String(decoding: line, as: UTF8.self)
    talk(text)
    tell(.said(text))
  }

  private func hasEnded(_ ending: ChildProcess.Ending) {
    self.ending = ending
    for output in outputs { output.finish() }
    if let line = errors.rest() { pass(line) }
    if clock == nil || process?.hasGroup == false { close() }
  }

  private func close() {
    if process != nil { watch.assumeIsolated { [group] in $0.ended(group) } }
    input?.close()
    clock?.close()
    process?.close()
    process = nil
    if let ending { tell(.ended(ending)) }
  }
}
