/// Lets a number of tasks work at once. The others wait, in order.
actor JobLimit {
  private var free: Int
  private let all: Int
  private var waiting: [(id: Int, place: CheckedContinuation<Bool, Never>)] = []
  private var idle: [CheckedContinuation<Void, Never>] = []
  private var lastID = 0

  init(_ count: Int) {
    free = count
    all = count
  }

  /// How many tasks wait for their turn.
  var waitingCount: Int { waiting.count }

  /// Does the work when its turn has come. Throws `CancellationError` if the task is cancelled before that.
  nonisolated func run<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
    guard await enter() else { throw CancellationError() }
    do {
      let result = try await work()
      await leave()
      return result
    } catch {
      await leave()
      throw error
    }
  }

  /// Waits until no task works or waits.
  func untilIdle() async {
    if free < all { await withCheckedContinuation { idle.append($0) } }
  }

  private func enter() async -> Bool {
    if Task.isCancelled { return false }
    if free > 0 {
      free -= 1
      return true
    }
    lastID += 1
    let id = lastID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { place in
        if Task.isCancelled { place.resume(returning: false) } else { waiting.append((id, place)) }
      }
    } onCancel: {
      Task { await giveUp(id) }
    }
  }

  private func giveUp(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).place.resume(returning: false)
  }

  private func leave() {
    if !waiting.isEmpty { return waiting.removeFirst().place.resume(returning: true) }
    free += 1
    guard free == all else { return }
    for continuation in idle { continuation.resume() }
    idle = []
  }
}
