/// What waits to be logged: at most one entry of each kind. It knows neither links nor connections.
///
/// Each kind has one entry a second at most, so that a flood does not flood the log. What comes within that second is
/// counted, and the first few are named in one entry after it. Nothing is counted twice, and nothing gets lost: the last
/// call asks for all the counts.
///
/// The second begins when an entry is handed out. So noting needs no time.
struct Journal: ~Copyable {
  private struct State {
    /// Whether the next event has an entry of its own.
    var isOpen = true
    /// The end of the second after its last entry; nil before that entry was handed out.
    var until: Instant?
    /// The events that were counted since then, and whom the first of them are about.
    var more = 0
    var among: [String] = []
  }

  private var states = [State](repeating: State(), count: JournalKind.all.count)
  private var entries: [JournalEntry] = []
  /// Links with failures that no entry has told, the first to fail first.
  var failing = Queue<Ref<Link>>()
  /// Links whose failures an entry has told within the last minute, and when the minute is over.
  var toldFailing = Queue<ToldFailures>()

  /// Milliseconds between two entries of a kind.
  private static let pause = 1000
  /// Of the events that are only counted, so many are named.
  private static let named = 8
  /// The links in both lists. The failures of further links wait until there is room.
  private static let mostFailing = 10_000

  /// Whether the next event of this kind has an entry of its own.
  func isOpen(_ kind: JournalKind) -> Bool { states[kind.index].isOpen }

  /// Whether there is something to hand out, apart from what waits for its time.
  @inline(__always)
  var hasNews: Bool { !entries.isEmpty || !failing.isEmpty && isOpen(.fails) }

  var hasRoomForFailing: Bool { failing.count + toldFailing.count < Journal.mostFailing }

  // MARK: In

  /// Counts an event. If this returns true, the caller must `tell` of it.
  mutating func counts(_ kind: JournalKind) -> Bool {
    if states[kind.index].isOpen { return true }
    states[kind.index].more += 1
    return states[kind.index].among.count < Journal.named
  }

  /// Notes an event that was counted. `subject` names it among others.
  mutating func tell(_ kind: JournalKind, _ subject: String, _ facts: [JournalFact]) {
    guard states[kind.index].isOpen else { return states[kind.index].among.append(subject) }
    states[kind.index].isOpen = false
    entries.append(JournalEntry(kind: kind, more: 0, facts: facts))
  }

  // MARK: Out

  /// Ends the seconds that are over. What was counted in them becomes an entry. `isLast` ends all of them.
  mutating func reopen(at now: Instant, isLast: Bool) {
    for (index, kind) in JournalKind.all.enumerated() {
      guard let until = states[index].until, until <= now || isLast else { continue }
      let (more, among) = (states[index].more, states[index].among)
      states[index] = State()
      guard more > 0 else { continue }
      states[index].isOpen = false
      let names = among.joined(separator: ", ") + (more > among.count ? ", …" : "")
      entries.append(JournalEntry(kind: kind, more: more, facts: [.text("among", names)]))
    }
  }

  /// Hands out the entry that was noted first; nil if there is none.
  mutating func takeEntry(at now: Instant) -> JournalEntry? {
    guard !entries.isEmpty else { return nil }
    let entry = entries.removeFirst()
    states[entry.kind.index].until = now.advanced(milliseconds: Journal.pause)
    return entry
  }

  /// When a second ends, or a link's minute; nil if nothing waits for its time.
  var dueAt: Instant? {
    let seconds = states.lazy.compactMap(\.until).min()
    guard let minute = toldFailing.first?.until else { return seconds }
    return seconds.map { min($0, minute) } ?? minute
  }
}

/// A link whose failures were told, and until when it is not told of again.
struct ToldFailures: BitwiseCopyable {
  let link: Ref<Link>
  let until: Instant
}

/// The failures of a link that no entry has told.
struct UntoldFailures {
  /// How many, and the cause of the last one.
  var count = 0
  var cause = Cause.failed
  /// Whether the link is in one of the journal's lists.
  var isListed = false
}
