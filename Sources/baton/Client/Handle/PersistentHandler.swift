import BatonClient
import Synchronization

/// Answers all messages with one persistent program. The program gets them in the order in which they came.
final class PersistentHandler: Sendable {
  private enum News: Sendable {
    case asked(Asked)
    case lapsed(Asked.Number)
  }

  private let program: PersistentProgram
  private let news: AsyncStream<News>.Continuation
  private let count = Atomic(0)

  init(_ program: PersistentProgram) {
    self.program = program
    let (all, news) = AsyncStream.makeStream(of: News.self)
    self.news = news
    Task {
      for await one in all {
        switch one {
        case .asked(let asked): await program.take(asked)
        case .lapsed(let number): await program.lapsed(number)
        }
      }
    }
  }

  /// Takes a message. The returned function waits for the program's verdict.
  func begin(_ message: Message) -> @Sendable () async throws -> Verdict {
    guard message.id != nil else {
      news.yield(.asked(Asked(number: 0, message: message, verdict: nil)))
      return { .handled }
    }
    let number = count.add(1, ordering: .relaxed).newValue
    let (verdicts, verdict) = AsyncStream.makeStream(of: Verdict.self)
    verdict.onTermination = { [news] in
      if case .cancelled = $0 { news.yield(.lapsed(number)) }
    }
    news.yield(.asked(Asked(number: number, message: message, verdict: verdict)))
    return {
      for await verdict in verdicts { return verdict }
      throw CancellationError()
    }
  }

  func start() async { await program.start() }

  /// Ends the program. At once, it is left to who ends programs that are still running.
  func finish(atOnce: Bool) async {
    if !atOnce { await program.finish() }
  }
}
