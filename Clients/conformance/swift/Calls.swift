import BatonClient
import Synchronization

/// The calls of handlers, counted as the library makes them, each of which waits for what it is to answer.
final class Calls: Sendable {
  private struct State {
    var last = 0
    var open: [Int: AsyncStream<Command>.Continuation] = [:]
    var carryOut: (@Sendable (Command) async -> Void)?
  }

  private let state = Mutex(State())

  /// An error that a handler throws.
  private struct Thrown: Error, CustomStringConvertible {
    let description: String
  }

  /// A handler is called: it reports that at once, so that the order is the library's.
  @Sendable func begin(_ message: Message) -> @Sendable () async throws -> Verdict {
    let (commands, feed) = AsyncStream.makeStream(of: Command.self)
    let number = state.withLock { state in
      state.last += 1
      state.open[state.last] = message.isNotice ? nil : feed
      return state.last
    }
    Report(message, number).tell()
    return { try await self.answer(message, number, commands) }
  }

  /// What carries out the commands that a handler is to carry out.
  func carriesOut(_ command: @escaping @Sendable (Command) async -> Void) { state.withLock { $0.carryOut = command } }

  /// Lets the client broadcast under a topic, as a part of what runs now.
  func broadcast(_ topic: String) async {
    let carryOut = state.withLock { $0.carryOut }
    if let command = Command("{\"do\":\"broadcast\",\"as\":\"answer\",\"topic\":\"\(topic)\"}") {
      await carryOut?(command)
    }
  }

  /// What a call is to do.
  func told(_ command: Command) {
    guard let number = command.integer("offer") else { return }
    _ = state.withLock { $0.open[number]?.yield(command) }
  }

  private func answer(_ message: Message, _ number: Int, _ commands: AsyncStream<Command>) async throws -> Verdict {
    if message.isNotice { return .handled }
    defer { state.withLock { $0.open[number] = nil } }
    for await command in commands {
      switch command.name {
      case "working": await message.working()
      case "inside":
        let carryOut = state.withLock { $0.carryOut }
        if let inner = command.payload("command").flatMap({ Command($0.json) }) { await carryOut?(inner) }
      case "throw": throw Thrown(description: command.text("message") ?? "")
      default: return Verdict(command)
      }
    }
    Report("cancelled", number).tell()
    throw CancellationError()
  }
}

extension Verdict {
  fileprivate init(_ command: Command) {
    let (payload, message) = (command.payload("payload"), command.text("message"))
    switch command.text("verdict") {
    case "handled":
      self = payload.map { .handled($0, message: message) } ?? message.map { .handled(message: $0) } ?? .handled
    case "continue":
      self =
        payload.map { .continue(rewriting: $0, message: message) } ?? message.map { .continue(message: $0) }
        ?? .continue
    case "reject":
      if let code = command.integer("code") {
        self = .reject(message, code: code)
      } else {
        self = .reject(message, code: command.text("code"))
      }
    case "unencodable": self = .handled(Double.nan)
    default: self = .failed(message)
    }
  }
}

extension Report {
  /// A handler's call.
  fileprivate init(_ message: Message, _ number: Int) {
    self.init(message.isNotice ? "notice" : "offer", number)
    add("handler", message.handler)
    add("chain", message.chain)
    add("topic", message.topic)
    add("payload", message.payload)
    add("meta", message.meta)
    add("key", message.key)
    add("from", message.from)
    add("within", message.within > 0 ? message.within : nil)
    add("traceparent", message.traceparent)
    add("again", message.isAgain)
    add("shadow", message.isShadow)
    if message.isDoubtful { add("when", "unknown") }
    add("together", message.isTogether)
    if message.isBroadcast { add("for", "broadcast") }
    add("stored", message.stored)
    add("try", message.try)
    add("resent", message.resent)
  }
}
