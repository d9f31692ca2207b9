/// One connection that serves a link.
///
/// When the link is replaced or removed, the replica is detached: it takes no further offers, and lives on until those
/// that it holds are settled.
struct Replica: ~Copyable {
  let link: Ref<Link>
  let connection: UInt32
  let label: LinkLabel
  /// Patterns that count against its connection's limit.
  let patterns: Int
  /// Offers that it holds, shadows' copies included.
  var open = 0
  var isDetached = false
  /// Whether it was detached by the loss of its connection, not by a `replace` or `remove`.
  var wasServing = false
  var breaker = Breaker()
  /// Neighbours among those of the same connection.
  var previous = UInt32.nobody
  var next = UInt32.nobody
  /// Neighbours among those of the same link.
  var previousAtLink = UInt32.nobody
  var nextAtLink = UInt32.nobody

  init(
    link: Ref<Link>, connection: UInt32, patterns: Int, chain: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer
  ) {
    self.link = link
    self.connection = connection
    self.patterns = patterns
    label = LinkLabel(chain: chain, name: name)
  }

  /// The handler's name as a JSON string.
  var name: UnsafeRawBufferPointer { label.name }
}

/// Leaves a handler alone that lets offer after offer run out, and tries it again with one message (contract,
/// section 6, `breaker`).
struct Breaker {
  private var timeouts = 0
  private var until: Instant?
  /// Whether the one message that tries it is on offer.
  private(set) var isProbing = false

  /// Whether an offer may be made now.
  func lets(at now: Instant) -> Bool {
    guard let until else { return true }
    return !isProbing && until <= now
  }

  /// When it may be tried, where that is not yet.
  var opensAt: Instant? { isProbing ? nil : until }

  /// An offer is made.
  mutating func offered() {
    if until != nil { isProbing = true }
  }

  /// A verdict has come: all is well.
  mutating func answered() { self = Breaker() }

  /// An offer has run out. True if the breaker has opened by that.
  mutating func timedOut(counts: Bool, most: Int, until later: Instant) -> Bool {
    if isProbing {
      isProbing = false
      until = later
      return true
    }
    guard counts, until == nil else { return false }
    timeouts += 1
    guard timeouts >= most else { return false }
    until = later
    return true
  }
}

/// `"chain":"main","handler":"porter"`: what every line about a link says, written out once.
struct LinkLabel: ~Copyable {
  private let text: OwnedBytes
  private let nameStart: Int

  /// Names need no escapes (contract, section 3).
  init(chain: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer) {
    text = OwnedBytes("\"chain\":\"\(chain.string)\",\"handler\":\"\(name.string)\"")
    nameStart = text.count - name.count - 2
  }

  var bytes: UnsafeRawBufferPointer { text.bytes }
  var count: Int { text.count }
  /// The handler's name as a JSON string.
  var name: UnsafeRawBufferPointer { text.bytes.part(nameStart, text.count) }
}
