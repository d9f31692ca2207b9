/// The name of a timer; `.none` if there is no timer.
typealias TimerRef = Ref<TimerWheel.Timer>

/// All timers: a hierarchical timing wheel in ticks of 1 ms. It has eleven levels of 64 slots each, so that every tick
/// that an `Instant` can have belongs to a slot.
///
/// Setting and ending a timer cost the same for any number of timers. A timer never fires early, because its time is
/// rounded up to a whole tick. Timers of the same tick fire in the order in which they were set, so that the same calls
/// give the same order. Nothing is sorted for this: see the proof below.
///
/// When the wheel reaches a slot of a higher level, the timers in it move to lower levels, in pieces of at most
/// `piece` timers. So no call costs more, however many timers there are.
///
/// Why timers of one tick fire in the order in which they were set:
///
/// 1. Each slot's list is first in, first out. A timer of tick t that is set belongs to the slot whose level is the
///    place of the highest group of six bits in which t and `now` differ. While `now` grows to the start s of that slot,
///    and no further, this slot stays the same: the groups above it are the same in t and `now`, and in its own group
///    `now` is less. So all timers of tick t stand in one list, in the order in which they were set.
/// 2. When the wheel reaches s, `now` becomes s, and the slot's timers move, the first one first. Before that, no timer
///    with a tick of this slot stood anywhere else (1). So in the lists to which they move they stand in the same order.
/// 3. A timer that is set while the slot's timers move, with a tick of this slot, goes to the end of the slot's list.
///    So it moves after those that were set before it.
/// 4. When all have moved, (1) holds for the lists to which they have moved, with `now` = s. A slot of level 0 has one
///    tick. Its list is handed out from the front.
struct TimerWheel: ~Copyable {
  /// A timer that has neither fired nor ended. `slot` is its slot of the wheel.
  struct Timer {
    fileprivate(set) var subject: Due
    fileprivate(set) var tick: Int64
    fileprivate var slot: Int
    fileprivate var next: Slot<Timer>
    fileprivate var previous: Slot<Timer>
  }

  /// What one call of `next` has done.
  enum Step {
    /// A timer has fired. This is its subject.
    case due(Due)
    /// At most `piece` timers have moved to lower levels. There may be more to do: `next` has to be called again.
    case moved
    /// No timer is due.
    case nothing
  }

  /// The first and the last timer of a slot.
  private struct List {
    var first = Slot<Timer>.nobody
    var last = Slot<Timer>.nobody
  }

  /// The most timers that one call moves to lower levels.
  static let piece = 64
  private static let levels = 11
  /// The number of a list that is always empty.
  private static let noSlot = levels * 64

  private var timers = Table<Timer>()
  /// The timers of each slot of the wheel, and for each level a mask of the slots that have timers. Both are behind
  /// pointers, because setting a timer must cost very little.
  private let lists = UnsafeMutablePointer<List>.allocate(capacity: levels * 64 + 1)
  private let occupied = UnsafeMutablePointer<UInt64>.allocate(capacity: levels)
  /// The tick that the wheel has reached. All timers are later, but for those in the slots `due` and `moving`.
  private var now: Int64
  /// The slot whose timers are handed out. Its mask is clear.
  private var due = noSlot
  /// The slot whose timers move to lower levels, and the tick behind the last tick of this slot. Its mask is clear.
  private var moving = noSlot
  private var movingEnd = Int64.min
  /// `nextTick` is this one or a later one: timers that end leave it as it is.
  private var soonest = Int64.max

  init(at start: Instant) {
    now = TimerWheel.reached(start)
    lists.initialize(repeating: List(), count: Self.levels * 64 + 1)
    occupied.initialize(repeating: 0, count: Self.levels)
  }

  deinit {
    lists.deallocate()
    occupied.deallocate()
  }

  /// The number of timers that have neither fired nor ended.
  var count: Int { timers.count }
  var isTooLong: Bool { timers.isTooLong }
  var memory: Int { timers.memory }

  mutating func shrink() -> Bool { timers.shrink() }

  private static func reached(_ instant: Instant) -> Int64 {
    instant.microseconds >= 0 ? instant.microseconds / 1000 : (instant.microseconds - 999) / 1000
  }

  /// Sets a timer for `subject`, and returns its name. It fires at `due`, or at the next tick if `due` is over.
  mutating func set(_ subject: Due, at due: Instant) -> TimerRef {
    let tick = max(now + 1, TimerWheel.reached(Instant(microseconds: due.microseconds + 999)))
    let slot = tick < movingEnd ? moving : slot(of: tick)
    let index = timers.insert(
      Timer(subject: subject, tick: tick, slot: slot, next: .nobody, previous: lists[slot].last))
    append(index, to: slot)
    if tick < soonest { beginSooner(tick, in: slot) }
    return timers.ref(index)
  }

  /// A timer comes before all others. One that comes behind them is in no slot that begins before theirs.
  @inline(never)
  private mutating func beginSooner(_ tick: Int64, in slot: Int) {
    let shift = Int64(slot / 64 * 6)
    soonest = (tick >> shift) << shift
  }

  /// Ends a timer. It is no error if the timer has already fired or ended.
  mutating func end(_ timer: TimerRef) {
    guard timers.contains(timer) else { return }
    unlink(timers[timer.slot])
    timers.remove(timer.slot)
  }

  /// A time before which `next` need not be called: `wakeAt` or an earlier one. It costs nothing to look.
  @inline(__always)
  var nothingBefore: Instant? { soonest == .max ? nil : Instant(microseconds: soonest * 1000) }

  /// Whether `next` may have something to do.
  @inline(__always)
  func mayBeDue(at instant: Instant) -> Bool {
    soonest != .max && soonest * 1000 <= instant.microseconds
  }

  /// The same as `wakeAt`, which `nothingBefore` then is, too.
  mutating func findNext() -> Instant? {
    soonest = nextTick ?? .max
    return nothingBefore
  }

  /// When `next` must be called next; nil if no timer is set. It is the time of the next timer, or an earlier time at
  /// which timers that are far away move to a lower level. It is over if the last call of `next` has left something.
  @inline(__always)
  var wakeAt: Instant? {
    if let at = nextTick { return Instant(microseconds: at * 1000) }
    return nil
  }

  /// Takes one step on the way to `instant`: fires the next timer that is due, or moves some timers to lower levels. The
  /// caller calls it until it returns `nothing`. Other calls may come in between.
  mutating func next(at instant: Instant) -> Step {
    while true {
      if moving != Self.noSlot {
        moveOn()
        return .moved
      }
      let first = lists[due].first
      if first != .nobody {
        let subject = timers[first].subject
        unlink(timers[first])
        timers.remove(first)
        return .due(subject)
      }
      due = Self.noSlot
      let target = TimerWheel.reached(instant)
      guard let tick = nextTick, tick <= target else {
        now = max(now, target)
        soonest = nextTick ?? .max
        return .nothing
      }
      turn(to: tick)
    }
  }

  // MARK: The wheel

  /// The tick at which the next slot of the wheel that has timers begins, or the present tick if there is more to do.
  @inline(__always)
  private var nextTick: Int64? {
    if moving != Self.noSlot || lists[due].first != .nobody { return now }
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

  /// Comes to the slot of the wheel that begins at `tick`. Its timers are handed out, or they begin to move to lower
  /// levels.
  private mutating func turn(to tick: Int64) {
    let level = (0..<Self.levels).first { occupied[$0] != 0 } ?? 0
    now = max(now, tick)
    let slot = level * 64 + Int((tick >> Int64(level * 6)) & 63)
    occupied[level] &= ~(1 << UInt64(slot & 63))
    if level == 0 {
      due = slot
    } else {
      moving = slot
      // The last slots of the highest level end behind the last tick.
      let (end, isBehind) = tick.addingReportingOverflow(1 << Int64(level * 6))
      movingEnd = isBehind ? .max : end
    }
  }

  /// Moves the next timers of the slot `moving` to lower levels.
  private mutating func moveOn() {
    for _ in 0..<Self.piece {
      let index = lists[moving].first
      if index == .nobody { break }
      unlink(timers[index])
      let slot = slot(of: timers[index].tick)
      timers[index].slot = slot
      timers[index].next = .nobody
      timers[index].previous = lists[slot].last
      append(index, to: slot)
    }
    guard lists[moving].first == .nobody else { return }
    moving = Self.noSlot
    movingEnd = .min
  }

  /// The slot of the wheel that a tick belongs to.
  @inline(__always)
  private func slot(of tick: Int64) -> Int {
    let difference = UInt64(bitPattern: tick ^ now) | 63
    let level = (63 - difference.leadingZeroBitCount) / 6
    return level * 64 + Int((tick >> Int64(level * 6)) & 63)
  }

  /// Puts a timer, which knows its slot and the timer before it, at the end of the slot's list.
  @inline(__always)
  private mutating func append(_ index: Slot<Timer>, to slot: Int) {
    let last = lists[slot].last
    lists[slot].last = index
    if last != .nobody {
      timers[last].next = index
    } else {
      lists[slot].first = index
      if slot != moving { occupied[slot / 64] |= 1 << UInt64(slot & 63) }
    }
  }

  /// Takes a timer out of the list of its slot of the wheel.
  @inline(__always)
  private mutating func unlink(_ timer: Timer) {
    let (previous, next) = (timer.previous, timer.next)
    if previous != .nobody { timers[previous].next = next } else { lists[timer.slot].first = next }
    if next != .nobody { timers[next].previous = previous } else { lists[timer.slot].last = previous }
    if previous == .nobody, next == .nobody { occupied[timer.slot / 64] &= ~(1 << UInt64(timer.slot & 63)) }
  }
}
