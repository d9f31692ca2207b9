/// Lets a number of tasks work at once. The others wait, in order.
actor JobLimit {
  private var free: Int
  private let all: Int
  private var waiting: [(id: Int, bytes: Int, place: CheckedContinuation<Bool, Never>)] = []
  private var waitingBytes = 0
  private var idle: [CheckedContinuation<Void, Never>] = []
  private var lastID = 0

  init(_ count: Int) {
    free = count
    all = count
  }

  /// Too many notices wait: the server's window does not count them.
  struct Crowded: Error {}
  private static let mostNotices = 10_000
  private static let mostBytesOfNotices = 64 << 20

  /// Does the work when its turn has come. Throws `CancellationError` if the task is cancelled before that, and `Crowded`
  /// for a notice of so many bytes where too many wait.
  nonisolated func run<Result: Sendable>(
    notice bytes: Int? = nil, _ work: @Sendable () async throws -> Result
  ) async throws -> Result {
    guard try await enter(notice: bytes) else { throw CancellationError() }
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

  /// Lets nobody wait any more. Returns how many did.
  func dropWaiting() -> Int {
    defer { (waiting, waitingBytes) = ([], 0) }
    for one in waiting { one.place.resume(returning: false) }
    return waiting.count
  }

  private func enter(notice bytes: Int?) async throws(Crowded) -> Bool {
    if Task.isCancelled { return false }
    if free > 0 {
      free -= 1
      return true
    }
    if let bytes, waiting.count >= Self.mostNotices || waitingBytes + bytes > Self.mostBytesOfNotices {
      throw Crowded()
    }
    lastID += 1
    let id = lastID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { place in
        if Task.isCancelled { place.resume(returning: false) } else { wait(id, bytes ?? 0, place) }
      }
    } onCancel: {
      Task { await giveUp(id) }
    }
  }

  private func wait(_ id: Int, _ bytes: Int, _ place: CheckedContinuation<Bool, Never>) {
    waiting.append((id, bytes, place))
    waitingBytes += bytes
  }

  private func giveUp(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    take(at: index).resume(returning: false)
  }

  private func take(at index: Int) -> CheckedContinuation<Bool, Never> {
    waitingBytes -= waiting[index].bytes
    return waiting.remove(at: index).place
  }

  private func leave() {
    if !waiting.isEmpty { return take(at: 0).resume(returning: true) }
    free += 1
    guard free == all else { return }
    for continuation in idle { continuation.resume() }
    idle = []
  }
}
