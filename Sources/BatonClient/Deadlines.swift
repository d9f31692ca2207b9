internal import UV

/// Which requests are over: one timer for all of them. Requests with the same time end in the order in which they were
/// made, so there is a row for each time.
final class Deadlines {
  private struct Row {
    var requests: [Request] = []
    var first = 0
    /// How many of them are not waited for any more.
    var ended = 0
  }

  /// How late a request is over at most, in microseconds. It is never over too early.
  private static let grain: Int64 = 10_000

  private let over: (Request) -> Void
  private let timer: Alarm
  private var rows: [Int64: Row] = [:]
  private var setFor = Int64.max

  init(on loop: Loop, over: @escaping (Request) -> Void) {
    self.over = over
    timer = Alarm(on: loop)
    timer.action = { [weak self] in self?.look() }
  }

  /// Waits for the end of a request that begins now.
  func add(_ request: Request) {
    let due = MonotonicClock.microseconds + request.time
    request.deadline = due
    rows[request.time, default: Row()].requests.append(request)
    if due < setFor { set(for: due) }
  }

  /// The request has its outcome, or may take as long as it takes.
  func remove(_ request: Request) {
    guard request.deadline != 0, var row = rows.removeValue(forKey: request.time) else { return }
    request.deadline = 0
    row.ended += 1
    while row.first < row.requests.count, row.requests[row.first].deadline == 0 {
      row.first += 1
      row.ended -= 1
    }
    if row.first == row.requests.count { return }
    if row.first > 1000 || row.ended > 1000, 2 * (row.first + row.ended) > row.requests.count {
      row.requests = row.requests[row.first...].filter { $0.deadline != 0 }
      (row.first, row.ended) = (0, 0)
    }
    rows[request.time] = row
  }

  /// No request is waited for any more.
  func stop() {
    rows = [:]
    timer.close()
  }

  private func set(for due: Int64) {
    setFor = due
    timer.set(microseconds: due + Self.grain)
  }

  private func look() {
    let now = MonotonicClock.microseconds
    var due: [Request] = []
    var next = Int64.max
    for row in rows.values {
      for request in row.requests[row.first...] where request.deadline != 0 {
        guard request.deadline <= now else {
          next = min(next, request.deadline)
          break
        }
        due.append(request)
      }
    }
    setFor = .max
    if next < .max { set(for: next) }
    for request in due.sorted(by: { $0.deadline < $1.deadline }) { over(request) }
  }
}

/// A timer that is made when it is first set.
final class Alarm {
  var action: () -> Void = {}
  private let loop: Loop
  private var timer: Timer?

  init(on loop: Loop) { self.loop = loop }

  /// Whether it is set and has not gone off.
  private(set) var isSet = false

  /// Sets it to a time of `MonotonicClock`, in microseconds.
  func set(microseconds: Int64) {
    if timer == nil { timer = try? Timer(on: loop) { [weak self] in self?.goOff() } }
    timer?.set(microseconds: microseconds)
    isSet = true
  }

  func unset() {
    timer?.unset()
    isSet = false
  }

  func close() {
    timer?.close()
    timer = nil
    isSet = false
  }

  private func goOff() {
    isSet = false
    action()
  }

  deinit { timer?.close() }
}
