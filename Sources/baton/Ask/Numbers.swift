import Synchronization

/// Numbers for questions, one after the other.
final class Numbers: Sendable {
  private let last = Atomic(0)

  func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
