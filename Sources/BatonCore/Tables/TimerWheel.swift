/// Names a timer; `.none` where there is none.
typealias TimerRef = Ref<TimerWheel.Timer>

/// Everything that is due some day: a hierarchical timing wheel of five levels of 64 slots, in ticks of 1 ms.
///
/// Setting and ending a timer cost the same however many there are. A timer is never early: its time is rounded up to
/// a whole tick. Those of one tick come in the order in which they were set, so that the same calls give the same order.
struct TimerWheel: ~Copyable {
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
  /// The first timer of each slot, and a bit for each slot that has one, by level: behind pointers, as setting a timer
  /// must cost next to nothing.
  private let heads = UnsafeMutablePointer<Slot<Timer>>.allocate(capacity: levels * 64)
  private let occupied = UnsafeMutablePointer<UInt64>.allocate(capacity: levels)
  private var serial: UInt64 = 0
  /// The tick up to which everything has been handed out.
  private var now: Int64
  /// Taken off the wheel and not yet handed out, the first at the end.
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

  var count: Int { timers.count }

  private static func reached(_ instant: Instant) -> Int64 {
    instant.microseconds >= 0 ? instant.microseconds / 1000 : (instant.microseconds - 999) / 1000
  }

  mutating func set(_ subject: Due, at due: Instant) -> TimerRef {
    serial += 1
    let tick = max(now + 1, TimerWheel.reached(Instant(microseconds: due.microseconds + 999)))
    let index = timers.insert(
      Timer(subject: subject, tick: tick, serial: serial, slot: -1, next: .nobody, previous: .nobody))
    link(index)
    return timers.ref(index)
  }

  /// Ends a timer; one that is gone already is no error.
  mutating func end(_ timer: TimerRef) {
    guard timers.contains(timer) else { return }
    unlink(timer.slot)
    timers.remove(timer.slot)
  }

  /// When the wheel wants to be turned next: the next timer, or earlier, where timers far away have to be sorted in.
  var wakeAt: Instant? {
    if let at = nextTick { return Instant(microseconds: at * 1000) }
    return nil
  }

  /// Takes out the next timer that is due, or returns nil when none is.
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

  /// Empties the slot that begins at `tick`: into `due` at the lowest level, into lower levels elsewhere.
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
