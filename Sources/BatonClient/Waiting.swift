/// The requests that wait to be written. Those that were written before go first, each of both in the order in which they
/// were made.
struct Waiting {
  private var all: [Int: Request] = [:]
  /// The bytes of their lines, about.
  private(set) var bytes = 0
  private var row = Row()
  private var again = Row()
  /// Durable messages that the server has not taken in just now.
  private var resting: [Int: Request] = [:]

  /// Whether none waits.
  var isEmpty: Bool { all.isEmpty }

  /// Whether all of them are known to be on the server's disk.
  var areKept: Bool { all.values.allSatisfy { $0.acceptance != nil } }

  /// The one of that number, if it waits.
  subscript(id: Int) -> Request? { all[id] }

  /// All of them in their order.
  var inOrder: [Request] { all.values.sorted { $0.id < $1.id } }

  /// The one that is written next.
  mutating func next() -> Request? { again.first() ?? row.first() }

  /// The first of those that were never written.
  mutating func firstNew() -> Request? { row.first() }

  /// One that is younger than all of them.
  mutating func append(_ request: Request) {
    add(request)
    row.append(request)
  }

  /// Some that were written before.
  mutating func addAgain(_ requests: [Request]) {
    for request in requests {
      request.waitsAgain = true
      add(request)
    }
    again.insert(requests)
  }

  /// One that was written before, and is not to be written yet.
  mutating func rest(_ request: Request) {
    add(request)
    resting[request.id] = request
  }

  /// Those that rest are written as the others.
  mutating func endRest() {
    let rested = Array(resting.values)
    for request in rested { remove(request) }
    addAgain(rested)
  }

  /// It waits no more.
  mutating func remove(_ request: Request) {
    guard all.removeValue(forKey: request.id) != nil else { return }
    bytes -= request.size
    if resting.removeValue(forKey: request.id) == nil {
      if request.waitsAgain { again.remove(request) } else { row.remove(request) }
    }
    request.waitsAgain = false
  }

  private mutating func add(_ request: Request) {
    all[request.id] = request
    bytes += request.size
  }
}

/// Requests in the order in which they were made. One that waits no more stays in it until it would be the next.
private struct Row {
  private var requests: [Request] = []
  private var start = 0

  mutating func first() -> Request? {
    while start < requests.count, !requests[start].isWaiting { start += 1 }
    if start == requests.count || start > 1000 {
      requests.removeFirst(start)
      start = 0
    }
    return requests.isEmpty ? nil : requests[start]
  }

  mutating func append(_ request: Request) {
    request.isWaiting = true
    requests.append(request)
  }

  mutating func insert(_ many: [Request]) {
    // Without those that wait no more: one of them may be among these.
    requests = (requests[start...].filter(\.isWaiting) + many).sorted { $0.id < $1.id }
    start = 0
    for request in many { request.isWaiting = true }
  }

  func remove(_ request: Request) { request.isWaiting = false }
}
