/// Requests that wait for a connection, or for room on it: they go out in the order in which they were made.
struct RequestRow {
  private var tickets: [Int] = []
  /// Where the first one stands; what is before it has left.
  private var start = 0
  /// Those that have not left. One that is not asleep is about to look whether its turn has come.
  private var sleepers: [Int: CheckedContinuation<Void, Never>?] = [:]

  /// Whose turn is next; nil where nobody waits.
  var first: Int? { start < tickets.count ? tickets[start] : nil }

  /// Somebody takes the last place; tickets ascend.
  mutating func join(_ ticket: Int) {
    tickets.append(ticket)
    sleepers.updateValue(nil, forKey: ticket)
  }

  /// Somebody's turn has come, or he gives up.
  mutating func leave(_ ticket: Int) {
    wake(ticket)
    sleepers.removeValue(forKey: ticket)
    while let first, sleepers[first] == nil { start += 1 }
    if start > 1000, start * 2 > tickets.count {
      tickets.removeFirst(start)
      start = 0
    }
  }

  /// Somebody sleeps until he is woken.
  mutating func sleep(_ ticket: Int, _ continuation: CheckedContinuation<Void, Never>) {
    sleepers.updateValue(continuation, forKey: ticket)
  }

  /// Lets somebody look again.
  mutating func wake(_ ticket: Int?) {
    guard let ticket, let sleeper = sleepers[ticket] else { return }
    sleepers.updateValue(nil, forKey: ticket)
    sleeper?.resume()
  }

  /// Lets all look again.
  mutating func wakeAll() {
    for ticket in tickets[start...] { wake(ticket) }
  }
}
