import BatonClient
import Synchronization

/// Sends the messages of a command, durable or not.
struct MessageSender: Sendable {
  private let client: Client
  private let op: String
  /// How the next message lasts, with a name of its own; nil if none lasts.
  private let wish: (@Sendable () -> Durability)?
  private let isAcceptedEnough: Bool
  private let kept: AcceptedMessages

  /// For ordinary messages.
  init(_ client: Client, op: String) {
    self.client = client
    self.op = op
    wish = nil
    isAcceptedEnough = false
    kept = AcceptedMessages()
  }

  /// For messages that may be durable.
  init(_ client: Client, _ durable: DurableOptions, _ kept: AcceptedMessages) {
    self.client = client
    op = "send"
    wish = durable.wish
    isAcceptedEnough = durable.accepted
    self.kept = kept
  }

  /// Whether this program may see any chain.
  var maySeeSomeChain: Bool { get async { await client.maySeeSomeChain } }

  /// Begins one message. Those that are begun one after the other come to the server in that order. The task has its
  /// outcome. `accepted` is called when it is on disk, and its result is waited for.
  func begin(
    _ members: RequestMembers, accepted: @escaping @Sendable (AcceptedMessage) throws -> Void = { _ in }
  ) async throws -> Task<Outcome, any Error> {
    guard let wish else {
      let pending = try await client.begin(op, members.all)
      return Task { try await Outcome(of: pending) }
    }
    let beginning = try await client.beginDurable(members.all, wish())
    return Task { [kept, isAcceptedEnough] in
      let message: AcceptedMessage
      do { message = try await beginning.value } catch is CancellationError { return .unsent(isDurable: true) }
      if isAcceptedEnough { return .accepted(message) }
      kept.add(message.stored)
      try accepted(message)
      let result = try await message.result()
      kept.remove(message.stored)
      return .ended(result)
    }
  }

  /// The same, but what the server refuses is an outcome, too.
  func beginOneAmongMany(_ members: RequestMembers) async throws -> Task<Outcome, any Error> {
    let outcome = try await begin(members)
    return Task {
      do { return try await outcome.value } catch let error as BatonError {
        guard case .refused = error else { throw error }
        return .refused(error)
      }
    }
  }
}

/// The names of durable messages that the server keeps, and whose results this program still waits for.
final class AcceptedMessages: Sendable {
  private let names = Mutex<[String]>([])

  func add(_ name: String) { names.withLock { $0.append(name) } }

  func remove(_ name: String) {
    names.withLock { names in
      if let place = names.firstIndex(of: name) { names.remove(at: place) }
    }
  }

  /// What becomes of them when this program ends; nil if there are none.
  var words: String? {
    let names = names.withLock { $0 }
    guard let first = names.first else { return nil }
    let what =
      names.count == 1
      ? "the message was accepted and goes on, as \(first)"
      : "\(names.count) messages were accepted and go on, the first of them as \(first)"
    return "\(what); where it is: baton stored \(first.shellWord)"
  }
}
