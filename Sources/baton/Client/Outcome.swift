import ArgumentParser
import BatonClient

/// How one message ended.
enum Outcome: Sendable {
  /// It walked its chain to the end.
  case ended(SendResult)
  /// A broadcast, or a message of mode `notify`: how many peers got it.
  case told(Int, reply: Payload)
  /// A durable message is on disk, and its result was not waited for.
  case accepted(AcceptedMessage)
  /// The server did not take it.
  case refused(BatonError)
  /// It was cancelled before it was sent, or accepted if it is durable.
  case unsent(isDurable: Bool = false)

  /// Reads the server's reply, an `ok` or a `result`. Throws `BatonError` if there is none.
  init(of pending: Pending) async throws {
    let reply: Payload
    do { reply = try await pending.reply } catch is CancellationError {
      self = .unsent()
      return
    }
    if let told = try? reply.decode(Told.self) {
      self = .told(told.delivered, reply: reply)
    } else {
      self = .ended(try await pending.result)
    }
  }

  /// The reply that is no result.
  private struct Told: Decodable {
    let op: Op
    let delivered: Int

    enum Op: String, Decodable { case ok }
  }

  var exitCode: ExitCode {
    switch self {
    case .ended(let result): result.exitCode
    case .told, .accepted: .success
    case .refused(let error): error.exitCode
    case .unsent: .interrupted
    }
  }

  /// The server's line; nil if there is none.
  var line: Payload? {
    switch self {
    case .ended(let result): result.line
    case .told(_, let reply): reply
    case .accepted(let message): message.line
    case .refused, .unsent: nil
    }
  }

  /// The name under which outcomes are counted.
  var name: String {
    switch self {
    case .ended(let result): result.isDead ? "dead" : result.status.rawValue
    case .told: "delivered"
    case .accepted: "accepted"
    case .refused: "refused"
    case .unsent: "cancelled"
    }
  }

  /// The data for a program: in mode `all` one answer per line, else the payload, else nothing.
  var data: [String] {
    switch self {
    case .ended(let result) where !result.results.isEmpty:
      result.results.map { "\($0.by.displaySafe)\t\($0.payload?.seen ?? "")" }
    case .ended(let result): (result.delivered.map { "\($0)" } ?? result.payload?.seen).map { [$0] } ?? []
    case .told(let count, _): ["\(count)"]
    case .accepted(let message): [message.stored.displaySafe]
    case .refused, .unsent: []
    }
  }

  /// Status, handler and payload of one message among many, with tabs between.
  var fields: String {
    switch self {
    case .ended(let result): tabbed([name, result.by ?? ""]) + "\t\(result.payload?.seen ?? "")"
    case .told(let count, _): "\(name)\t\t\(count)"
    case .accepted(let message): tabbed([name, "", message.stored])
    case .refused, .unsent: "\(name)\t\t"
    }
  }

  /// For people: `handled by porter: {"opened":true} (1 hop, 3.1 ms)`.
  func sentence(after time: Duration, paint: Paint = .none) -> String {
    let name = paint(name, exitCode == .success ? .green : exitCode == .unhandled ? .yellow : .red)
    switch self {
    case .ended(let result) where result.isDead:
      let stored = result.stored.map { " as \($0.displaySafe)" } ?? ""
      return "\(name)\(stored): \(result.status.rawValue)\(Outcome.words(for: result, after: time))"
    case .ended(let result): return name + Outcome.words(for: result, after: time)
    case .accepted(let message):
      return "\(name)\(message.isKnown ? " before," : "") as \(message.stored.displaySafe) (\(time.words))"
    case .told(let count, _): return "\(name) to \(count) (\(time.words))"
    case .refused(let error): return "\(name): \(error.description.displaySafe)"
    case .unsent(let isDurable): return "\(name) before it was \(isDurable ? "accepted" : "sent")"
    }
  }

  private static func words(for result: SendResult, after time: Duration) -> String {
    var words = ""
    // Such a message ended by itself; the handler is where it stood.
    let hasWaited = result.status == .timeout || result.status == .cancelled
    if let by = result.by { words += (hasWaited ? " waiting for " : " by ") + by.displaySafe }
    if let delivered = result.delivered { words += " to \(counted(delivered, "subscriber", "subscribers"))" }
    let reasons = [result.cause, result.message, result.code.map { "code \($0.json)" }].compactMap(\.self)
    if !reasons.isEmpty { words += ": " + reasons.joined(separator: ", ").displaySafe }
    if let payload = result.payload { words += ": \(payload.json.displaySafe)" }
    // Of a dead letter the number is told, not how many attempts counted: its last try may not have counted.
    let tried = result.try.flatMap { $0 > 1 || result.isDead ? ", attempt \($0)" : nil }
    let again = (result.wasRepeated ? ", again" : "") + (tried ?? "")
    return words + " (\(counted(result.hops, "hop", "hops"))\(again), \(time.words))"
  }
}

/// `1 hop`, `2 hops`.
func counted(_ count: Int, _ one: String, _ many: String) -> String { count == 1 ? "1 \(one)" : "\(count) \(many)" }
