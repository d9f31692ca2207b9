/// A message's way along the links of its chain.
///
/// A walk that is not moving stands at exactly one link: either its offer is open there, or it waits in that link's
/// queue. `due` is the end of that one's time, the deadline the end of all.
struct Walk: ~Copyable {
  /// Where a walk is in one chain, as it entered it.
  struct Place {
    var chain: UInt32
    /// The chain's version when the walk entered: links born later are not visited.
    var entered: Int
    /// Which of the chain's `Snapshots` counts this walk.
    var snapshot: Int
    /// The links that accept the topic, as long as the chain has not changed since; looked up anew when it has.
    var list: Ref<AcceptList>
    /// Where in the list the walk is; -1 before the first.
    var position: Int
    /// The last link that it came by: where to go on in a list that was made anew.
    var passed: Link.Order?
  }

  let number: Int
  var message: Message
  let sender: Ref<Connection>
  let wantsResult: Bool
  let deadline: Instant
  var place: Place
  /// What a link put in place of the payload.
  var rewritten = OwnedBytes()
  var hops = 0
  var timer = TimerRef.none
  /// When the timer fires; it may be earlier than `due` and is then set anew.
  var timerAt = Instant(microseconds: .max)

  /// The link at which it stands, or `nobody` while it moves.
  var link = UInt32.max
  var previousAtLink = UInt32.max
  var nextAtLink = UInt32.max
  /// Its open offer, or `nobody`.
  var offer = UInt32.max
  /// Whether it stands in the link's queue.
  var isWaiting = false
  var reached = Instant(microseconds: 0)
  /// When the link's time is over: the offer's, or that of waiting to be offered.
  var due = Instant(microseconds: 0)
  /// When the link's share of the message's time is over, however that is cut into milliseconds: the last link's ends
  /// with the deadline.
  var shareEnd = Instant(microseconds: 0)

  init(
    number: Int, message: consuming Message, sender: Ref<Connection>, wantsResult: Bool, deadline: Instant, place: Place
  ) {
    self.number = number
    self.message = message
    self.sender = sender
    self.wantsResult = wantsResult
    self.deadline = deadline
    self.place = place
  }

  /// The payload as later links see it; empty where there is none.
  @inline(__always)
  var payload: UnsafeRawBufferPointer { rewritten.isEmpty ? message.payload : rewritten.bytes }
  /// What counts against the limits on open messages.
  var bytes: Int { message.count + rewritten.count }

  static let nobody = UInt32.max
}
