import Dispatch
import Foundation
import ProgramKit
import Synchronization

/// A control client in a thread of its own. It must lose nothing, whatever the peers of the run do meanwhile.
///
/// It does a round each time that the run permits one. Otherwise it would take the server's time from the peers, and
/// peers that listen to everything could not read as fast as it sends.
final class SteadyLoad: Sendable {
  private struct State {
    var rounds = 0
    var isEnding = false
    var endsAlone = false
    var trouble: String?
  }

  private let state = Mutex(State())
  private let hasBegun = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let permits = DispatchSemaphore(value: 0)

  /// Returns when the client has inserted its links. `hello` is what it says first, if the server must know it.
  init(at place: String, hello: String? = nil) {
    Thread.detachNewThread { [self] in
      do { try live(at: place, hello) } catch {
        state.withLock { $0.trouble = "a control client lost something: \(error)" }
      }
      hasBegun.signal()
      hasEnded.signal()
    }
    hasBegun.wait()
  }

  /// Lets it do one more round.
  func permitRound() { permits.signal() }

  /// Messages and broadcasts that have come back.
  var rounds: Int { state.withLock { $0.rounds } }

  /// What went wrong.
  var trouble: String? { state.withLock { $0.trouble } }

  /// Ends after the round that is under way; with `alone`, only once no other connection serves a link. Call this once.
  func end(alone: Bool = false) {
    state.withLock {
      $0.isEnding = true
      $0.endsAlone = alone
    }
    permits.signal()
    hasEnded.wait()
  }

  private func live(at place: String, _ hello: String?) throws {
    let peers = try (0..<3).map { _ in try Peer(place) }
    if let hello {
      for peer in peers {
        guard let welcome = peer.ask(hello), welcome.hasPrefix(#"{"op":"welcome""#) else {
          throw Deviation("the control client is not welcome")
        }
      }
    }
    let client = try ControlClient(peers, isOverheard: true)
    hasBegun.signal()
    while true {
      permits.wait()
      if state.withLock({ $0.isEnding }) { break }
      try client.round()
      state.withLock { $0.rounds = client.rounds }
    }
    guard state.withLock({ $0.endsAlone }) else { return }
    // Mounts, and places that are held or required, stay when their makers are gone. No connection serves them.
    let end = ContinuousClock.now + .milliseconds(Int(Program.patience))
    while try client.otherLinks(served: true) > 0 {
      if ContinuousClock.now > end { throw Deviation("links of others are served when everybody has left") }
    }
  }
}

extension RunningServer {
  /// Lets the server end, and tells what is wrong with its end.
  func farewell() -> String? {
    let status = end()
    return status == 0 ? nil : "the server ended with status \(status)"
  }
}
