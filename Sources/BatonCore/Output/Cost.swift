/// What work costs, and how much of it a turn has room for. The unit is the same on every machine: one unit is about ten
/// nanoseconds. It is counted and not measured, so that the same calls give the same bytes.
enum Cost {
  /// What one connection may cost in one turn: about a millisecond.
  static let turn = 100_000
  /// What every connection may cost in a turn, whatever others cost: about 20 microseconds.
  static let little = 2000
  /// What all connections together may cost in a turn beyond that: about three milliseconds.
  static let shared = 300_000
  /// What the timers that fire in one turn may cost, and what the jobs of one turn may cost: about half a millisecond.
  static let own = 50_000

  /// The messages under way whose memory is at hand for the processor. With more, each costs more: when it is taken in, and
  /// when it ends.
  static let atHand = 4096
  static let farAway = 90

  /// A line, whatever is in it.
  static let line = 50
  /// A link, a name or a replica that is looked at.
  static let look = 10
  /// A node of an index of patterns that is looked at.
  static let word = 20
  /// A line that is written to one of many connections.
  static let delivery = 25
  /// A line that tells an error, with its text.
  static let error = 300
  /// A connection that gets something written because of what nobody has asked for just now: a system call of its own.
  static let write = 500
  /// A system call for what only the system knows, with what is told of it: about ten microseconds.
  static let system = 1000
  /// A link of a page of `explain` or `inspect`, or an entry of a trace.
  static let entry = 60
  /// A list of links that is made, a mounted chain that is entered, or a pattern that is added or removed.
  static let list = 150
  /// A link that is made, changed or ended.
  static let link = 400
  /// A timer that fires, a lost offer, a message that leaves a queue, a subscription that ends.
  static let step = 150

  /// The bytes of a line that is read.
  @inline(__always)
  static func reading(_ bytes: Int) -> Int { line &+ bytes >> 2 }

  /// A pattern of `bytes` bytes that is added.
  @inline(__always)
  static func pattern(_ bytes: Int) -> Int { 2 &* list &+ bytes &* 8 }

  /// Bytes that are copied.
  @inline(__always)
  static func copying(_ bytes: Int) -> Int { bytes >> 6 }
}
