import BatonClient
import Synchronization

/// What a person hears while a durable message has no end: after a second its name, then what it waits for, whenever that
/// is something else. It is asked for again and again, at most once a second.
final class DurableWait: Sendable {
  private let client: Client
  private let task = Mutex<Task<Void, any Error>?>(nil)

  init(_ client: Client) { self.client = client }

  func begin(_ stored: String) {
    let told = Task { [client] in
      try await Task.sleep(for: .seconds(1))
      talk("accepted as \(stored); this waits for its end, and Ctrl-C leaves it to the server")
      var last: StoredMessage?
      var pause = Duration.seconds(1)
      while true {
        if let now = try? await client.stored(stored), now.tries > 0 || now.isUncounted || now.isUndeclared {
          try Task.checkCancellation()
          if now.state == .waiting, now.changes(last) {
            talk(now.words)
            last = now
          }
        }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(30))
      }
    }
    task.withLock { $0 = told }
  }

  func end() { task.withLock { $0?.cancel() } }
}

extension StoredMessage {
  /// Whether it waits for something else than `other`.
  fileprivate func changes(_ other: StoredMessage?) -> Bool {
    tries != other?.tries || isUncounted != other?.isUncounted || isUndeclared != other?.isUndeclared
  }
}
