/// Requests that wait to be written, the oldest first. One that waits no more stays in it until it would be the next.
struct Row {
  private var requests: [Request] = []
  private var start = 0
  private var count = 0

  /// Whether none waits.
  var isEmpty: Bool { count == 0 }

  /// Those that wait.
  var all: [Request] { requests[start...].filter(\.isWaiting) }

  /// The next one.
  mutating func first() -> Request? {
    while start < requests.count, !requests[start].isWaiting { start += 1 }
    if start == requests.count || start > 1000 {
      requests.removeFirst(start)
      start = 0
    }
    return requests.isEmpty ? nil : requests[start]
  }

  /// Lets a request wait that is younger than all of them.
  mutating func append(_ request: Request) {
    request.isWaiting = true
    requests.append(request)
    count += 1
  }

  /// Lets requests wait that were in it before.
  mutating func insert(_ many: [Request]) {
    // Without those that wait no more: one of them may be among these.
    requests = (all + many).sorted { $0.id < $1.id }
    start = 0
    for request in many { request.isWaiting = true }
    count = requests.count
  }

  /// A request waits no more.
  mutating func remove(_ request: Request) {
    request.isWaiting = false
    count -= 1
  }
}
