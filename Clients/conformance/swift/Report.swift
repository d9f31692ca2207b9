import BatonClient
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One report, built member by member: what is nil or false is left out.
struct Report {
  private var members: [String] = []
  private static let output = Mutex(())

  init(_ name: StaticString, _ value: Payload?) { add(name, value ?? Payload(text: "")) }

  init(_ name: StaticString, _ number: Int) { add(name, number) }

  init(_ name: StaticString, is flag: Bool) { members.append("\"\(name)\":\(flag)") }

  mutating func add(_ name: StaticString, _ value: Payload?) {
    if let value { members.append("\"\(name)\":\(value.json)") }
  }

  mutating func add(_ name: StaticString, _ text: String?) { add(name, text.map { Payload(text: $0) }) }

  mutating func add(_ name: StaticString, _ number: Int?) {
    if let number { members.append("\"\(name)\":\(number)") }
  }

  mutating func add(_ name: StaticString, _ flag: Bool) {
    if flag { members.append("\"\(name)\":true") }
  }

  /// What went wrong, in the words that all clients share.
  mutating func add(_ error: any Error) {
    if error is CancellationError { return add("code", "cancelled") }
    add("code", (error as? BatonError)?.code ?? (error is EncodingError ? "bad_value" : "unknown"))
    add("message", "\(error)")
    if case BatonError.noAnswer(_, let maySent) = error { add("sent", maySent ? "maybe" : "no") }
  }

  /// Prints it, as a whole line.
  func tell() {
    let line = Array("{\(members.joined(separator: ","))}\n".utf8)
    // Not `print`: to flush it would wait for the thread that reads.
    Report.output.withLock { _ in
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard count > 0 else { exit(1) }
        rest = rest.dropFirst(count)
      }
    }
  }
}

extension Report {
  /// What became of a message.
  init(_ label: Payload?, _ result: SendResult) {
    self.init("result", label)
    add("status", result.status.rawValue)
    add("by", result.by)
    add("payload", result.payload)
    add("message", result.message)
    add("code", result.code)
    add("cause", result.cause)
    if !result.results.isEmpty {
      let answers = result.results.map { answer in
        var report = Report("by", Payload(text: answer.by))
        report.add("payload", answer.payload)
        return "{\(report.members.joined(separator: ","))}"
      }
      members.append("\"results\":[\(answers.joined(separator: ","))]")
    }
    if !result.failures.isEmpty {
      let failures = result.failures.map { failure in
        var report = Report("by", Payload(text: failure.by))
        report.add("chain", failure.chain)
        report.add("cause", failure.cause)
        report.add("message", failure.message)
        return "{\(report.members.joined(separator: ","))}"
      }
      members.append("\"failures\":[\(failures.joined(separator: ","))]")
    }
    add("more_failures", result.hasMoreFailures)
    add("hops", result.hops)
    add("delivered", result.delivered)
    add("again", result.wasRepeated)
    add("stored", result.stored)
    add("try", result.try)
    add("dead", result.isDead)
  }
}
