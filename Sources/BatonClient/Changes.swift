/// Lets tasks wait for a condition. Whoever changes something calls `tell`.
final class Changes {
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Something has changed: all who wait look again.
  func tell() {
    let all = waiting
    waiting = []
    for continuation in all { continuation.resume() }
  }

  /// Waits for a condition.
  func until(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
    while !condition() {
      await withCheckedContinuation { waiting.append($0) }
    }
  }
}
