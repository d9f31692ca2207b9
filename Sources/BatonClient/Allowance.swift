internal import BatonCore

/// Counts the open messages of a connection, and the bytes of their lines. The client stays below what the server
/// allows, because the server would stop reading. After `busy` it stays at what was open then, and lets one more be open
/// for each result.
struct Allowance {
  private var count = 0
  private var bytes = 0
  private var told = Int.max
  private var most = Int.max
  private var mostBytes = Int.max
  /// By keys: the number of the last message that was written, and how many are open.
  private var keys: [String: (last: Int, open: Int)] = [:]

  /// The server has said how much it allows; nil: no bound. The connection is a new one.
  mutating func set(messages: Int?, bytes: Int?) {
    told = messages.map { max($0 - 1, 1) } ?? .max
    mostBytes = bytes ?? .max
    clear()
  }

  /// The connection is lost, and nothing is open.
  mutating func clear() {
    (count, bytes, most) = (0, 0, told)
    keys.removeAll()
  }

  /// Whether no message is open.
  var isUnused: Bool { count == 0 }

  /// Whether a message with a line of so many bytes may be written now.
  func allows(_ size: Int) -> Bool {
    if count == 0 { return most > 0 }
    return count < most && size + MemberRange.messageOverhead < mostBytes - bytes
  }

  /// A message was written. Later messages have higher numbers.
  mutating func opened(_ number: Int, _ size: Int, _ key: String?) {
    count += 1
    bytes += size + MemberRange.messageOverhead
    if let key { keys[key] = (number, (keys[key]?.open ?? 0) + 1) }
  }

  /// Something has come for an open message, and it is open no more.
  mutating func ended(_ size: Int, _ key: String?) {
    count -= 1
    bytes -= size + MemberRange.messageOverhead
    guard let key, let entry = keys[key] else { return }
    keys[key] = entry.open == 1 ? nil : (entry.last, entry.open - 1)
  }

  /// Whether a later message of this key was written.
  func isOvertaken(_ number: Int, _ key: String?) -> Bool {
    key.flatMap { keys[$0] }.map { $0.last > number } ?? false
  }

  // MARK: After `busy`

  /// The server would not take one in: what is open now is as much as it can have.
  mutating func restrict() { most = min(most, count) }

  /// A result has come, or the wait after `busy` is over: one more may be open.
  mutating func widen() { if most < told { most += 1 } }

  /// Nothing waits any more: only what the server has said holds.
  mutating func unrestrict() { most = told }
}
