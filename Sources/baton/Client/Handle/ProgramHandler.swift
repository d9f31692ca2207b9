import ArgumentParser
import BatonClient
import UV

/// Answers each message by a run of a program.
struct ProgramHandler: Sendable {
  let command: [String]
  /// Whether input and output are plain text instead of JSON.
  let isText: Bool
  let environment: ProgramEnvironment
  let jobs: JobLimit
  let thread: LoopThread
  let watch: ChildWatch
  /// Whether a line says which message has failed, or has lapsed; otherwise another one does.
  let tellsFailures: Bool
  let dropped = DroppedNotices()

  /// The verdict of one run. Throws `CancellationError` if the offer has lapsed or its connection is lost.
  func verdict(on message: Message) async throws -> Verdict {
    do {
      return try await jobs.run(notice: message.isNotice ? message.line.bytes.count : nil) { try await run(message) }
    } catch is JobLimit.Crowded {
      await dropped.note(message, for: "the program")
      return .continue
    } catch let failure as ProgramFailure {
      if tellsFailures { talk("\(message.words): failed: \(failure.why)") }
      return .failed(failure.why)
    }
  }

  /// The command ends: what waits is dropped, and what has begun is finished. At once, it is left to who ends programs
  /// that are still running.
  func finish(atOnce: Bool) async {
    await dropped.end(await jobs.dropWaiting())
    if !atOnce { await jobs.untilIdle() }
  }

  private func run(_ message: Message) async throws -> Verdict {
    var plan = ChildProcess.Plan(path: command[0], arguments: Array(command.dropFirst()))
    plan.environment = environment.variables(for: message)
    let outcome: ProgramRun.Outcome
    do {
      plan.file = try environment.file(for: message)
      outcome = try await ProgramRun(plan, on: thread, watch, mostOutput: message.maxLine)
        .outcome(input: input(for: message))
    } catch let error as UVError {
      throw ProgramFailure(Executable.complaint(about: command[0]) ?? "\(command[0]) cannot be started: \(error)")
    }
    if Task.isCancelled {
      if tellsFailures { talk("\(message.words): the offer lapsed or its connection was lost; the program was ended") }
      throw CancellationError()
    }
    return try verdict(of: outcome)
  }

  private func verdict(of outcome: ProgramRun.Outcome) throws(ProgramFailure) -> Verdict {
    guard outcome.isTooMuch == nil else { throw ProgramFailure(outcome.failure) }
    switch outcome.ending {
    case .exited(0): return try payload(of: outcome.output).map { .handled($0) } ?? .handled
    case .exited(10): return try payload(of: outcome.output).map { .continue(rewriting: $0) } ?? .continue
    case .exited(11): return .reject(outcome.said.isEmpty ? nil : outcome.said)
    default: throw ProgramFailure(outcome.failure)
    }
  }

  /// The payload as one line: as JSON, or as the text of a JSON string.
  private func input(for message: Message) throws -> [UInt8] {
    guard let payload = message.payload else { return [] }
    let isString = payload.bytes.first == UInt8(ascii: "\"")
    let bytes = isText && isString ? Array(try payload.decode(String.self).utf8) : payload.bytes
    return bytes + [UInt8(ascii: "\n")]
  }

  /// The program's output as a payload: by the same rule as what `send` is given. Nil if there is no output.
  private func payload(of output: [UInt8]) throws(ProgramFailure) -> Payload? {
    let isBlank = output.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if isText ? output.isEmpty : isBlank { return nil }
    do {
      return try PayloadArgument.value(of: output, from: "the program's output", as: isText ? .text : .either(.output))
    } catch let mistake as ValidationError {
      throw ProgramFailure(mistake.message)
    } catch {
      throw ProgramFailure("\(error)")
    }
  }
}

/// Why a program gave no verdict.
struct ProgramFailure: Error, CustomStringConvertible {
  let why: String
  var description: String { why }

  init(_ why: String) { self.why = why }
}

extension Message {
  /// Which message it is, for people.
  var words: String { "\(handler): \(topic) (walk \(walk))" }
}
