/// The name of a timer; `.none` if there is no timer.
typealias TimerRef = Ref<TimerWheel.Timer>

/// All timers: a hierarchical timing wheel of five levels of 64 slots each, in ticks of 1 ms.
///
/// Setting and ending a timer cost the same for any number of timers. A timer never fires early, because its time is
/// rounded up to a whole tick. Timers of the same tick fire in the order in which they were set, so that the same calls
/// give the same order.
struct TimerWheel: ~Copyable {
  /// A timer that has neither fired nor ended. `slot` is its slot of the wheel, or -1 if it is in `due`.
  struct Timer {
    fileprivate(set) var subject: Due
    fileprivate(set) var tick: Int64
    fileprivate var serial: UInt64
    fileprivate var slot: Int
    fileprivate var next: Slot<Timer>
    fileprivate var previous: Slot<Timer>
  }

  private static let levels = 5
  private var timers = Table<Timer>()
  /// The first timer of each slot of the wheel, and for each level a mask of the slots that have timers. Both are
  /// behind pointers, because setting a timer must cost very little.
  private let heads = UnsafeMutablePointer<Slot<Timer>>.allocate(capacity: levels * 64)
  private let occupied = UnsafeMutablePointer<UInt64>.allocate(capacity: levels)
  private var serial: UInt64 = 0
  /// The tick that the wheel has reached. All timers on the wheel are later.
  private var now: Int64
  /// Timers that were taken off the wheel and are not handed out yet, the next one at the end. Some may have ended.
  private var due: [(serial: UInt64, timer: TimerRef)] = []

  init(at start: Instant) {
    now = TimerWheel.reached(start)
    heads.initialize(repeating: .nobody, count: Self.levels * 64)
    occupied.initialize(repeating: 0, count: Self.levels)
  }

  deinit {
    heads.deallocate()
    occupied.deallocate()
  }

  /// The number of timers that have neither fired nor ended.
  var count: Int { timers.count }

  private static func reached(_ instant: Instant) -> Int64 {
    instant.microseconds >= 0 ? instant.microseconds / 1000 : (instant.microseconds - 999) / 1000
  }

  /// Sets a timer for `subject`, and returns its name. It fires at `due`, or at the next tick if `due` is over.
  mutating func set(_ subject: Due, at due: Instant) -> TimerRef {
    serial += 1
    let tick = max(now + 1, TimerWheel.reached(Instant(microseconds: due.microseconds + 999)))
    let index = timers.insert(
      Timer(subject: subject, tick: tick, serial: serial, slot: -1, next: .nobody, previous: .nobody))
    link(index)
    return timers.ref(index)
  }

  /// Ends a timer. It is no error if the timer has already fired or ended.
  mutating func end(_ timer: TimerRef) {
    guard timers.contains(timer) else { return }
    unlink(timer.slot)
    timers.remove(timer.slot)
  }

  /// When `next` must be called next; nil if no timer is set. It is the time of the next timer, or an earlier time at
  /// which timers that are far away move to a lower level.
  var wakeAt: Instant? {
    if let at = nextTick { return Instant(microseconds: at * 1000) }
    return nil
  }

  /// Removes the next timer that is due and returns its subject; nil if none is due.
  mutating func next(at instant: Instant) -> Due? {
    while true {
      while let last = due.popLast() {
        guard timers.contains(last.timer) else { continue }
        let subject = timers[last.timer.slot].subject
        timers.remove(last.timer.slot)
        return subject
      }
      let target = TimerWheel.reached(instant)
      guard let tick = nextTick, tick <= target else {
        now = max(now, target)
        return nil
      }
      turn(to: tick)
    }
  }

  // MARK: The wheel

  /// The tick at which the next slot of the wheel that has timers begins.
  private var nextTick: Int64? {
    for level in 0..<TimerWheel.levels where occupied[level] != 0 {
      let shift = Int64(level * 6)
      let position = (now >> shift) & 63
      let bits = occupied[level]
      let ahead: UInt64 = bits >> UInt64(position)
      let wrapped: UInt64 = bits << UInt64((64 - position) & 63)
      let distance = Int64((ahead | wrapped).trailingZeroBitCount)
      return ((now >> shift) + distance) << shift
    }
    return nil
  }

  /// Empties the slot of the wheel that begins at `tick`. Timers that are due move to `due`. Other timers move to a
  /// lower level.
  private mutating func turn(to tick: Int64) {
    let level = (0..<Self.levels).first { occupied[$0] != 0 } ?? 0
    now = max(now, tick)
    let slot = level * 64 + Int((tick >> Int64(level * 6)) & 63)
    var index = heads[slot]
    heads[slot] = .nobody
    occupied[level] &= ~(1 << UInt64(slot & 63))
    while index != .nobody {
      let following = timers[index].next
      timers[index].slot = -1
      if timers[index].tick <= now {
        due.append((timers[index].serial, timers.ref(index)))
      } else {
        link(index)
      }
      index = following
    }
    due.sort { $0.serial > $1.serial }
  }

  /// Puts a timer into the slot of the wheel that its tick belongs to.
  @inline(__always)
  private mutating func link(_ index: Slot<Timer>) {
    let tick = timers[index].tick
    let difference = UInt64(bitPattern: tick ^ now) | 63
    let level = min((63 - difference.leadingZeroBitCount) / 6, TimerWheel.levels - 1)
    let slot = level * 64 + Int((tick >> Int64(level * 6)) & 63)
    let head = heads[slot]
    timers[index].slot = slot
    timers[index].previous = .nobody
    timers[index].next = head
    if head != .nobody { timers[head].previous = index }
    heads[slot] = index
    occupied[level] |= 1 << UInt64(slot & 63)
  }

  /// Takes a timer out of its slot of the wheel. Does nothing if it is in `due` already.
  @inline(__always)
  private mutating func unlink(_ index: Slot<Timer>) {
    let slot = timers[index].slot
    guard slot >= 0 else { return }
    let (previous, next) = (timers[index].previous, timers[index].next)
    if previous != .nobody { timers[previous].next = next } else { heads[slot] = next }
    if next != .nobody { timers[next].previous = previous }
    if heads[slot] == .nobody { occupied[slot / 64] &= ~(1 << UInt64(slot & 63)) }
  }
}
