import BatonCore
import WorldKit

/// Knows what was published on topics that stay, from an observer that hears everything, and holds against it what
/// listeners are told (contract, section 14). It knows nothing of the core's inside.
struct StayWatch {
  /// An event that was published on a kept topic.
  struct Published {
    let topic: String
    let identity: String
    /// What it takes, with a topic of its own.
    let bytes: Int
  }

  /// What was the value of a topic.
  struct Value {
    let payload: [UInt8]?
    let identity: String
    let bytes: Int
    /// The call in which it came.
    let call: Int
  }

  let settings: Settings
  let identities: Int
  /// Whether the observer has heard everything so far.
  var isSeeing = false
  var observer: Int?
  /// The calls of the core so far.
  var call = 0
  private(set) var violation: Violation?
  private(set) var covered: Set<String> = []
  /// By their numbers, from 1 on.
  private(set) var published: [Published] = []
  /// By topic, the latest is the last.
  private(set) var values: [String: [Value]] = [:]
  private var bytesOf: [String: Int] = [:]
  private var lives: [Int: StayLife] = [:]
  /// What listeners were told in this call.
  private var told: [(connection: Int, line: SaidLine)] = []

  init(settings: Settings, identities: Int) {
    (self.settings, self.identities) = (settings, identities)
  }

  var lastSeq: Int { published.count }

  mutating func cover(_ what: String) { covered.insert("stays: \(what)") }

  mutating func fail(_ invariant: Invariant, _ detail: String) {
    if violation == nil { violation = Violation(invariant: invariant, detail: detail) }
  }

  // MARK: Listeners

  func isListener(_ connection: Int) -> Bool { lives[connection] != nil }

  mutating func begins(_ life: StayLife, _ connection: Int) { lives[connection] = life }

  mutating func ends(_ connection: Int) {
    if connection == observer { (observer, isSeeing) = (nil, false) }
    lives[connection] = nil
  }

  // MARK: Lines

  mutating func said(_ line: SaidLine, to connection: Int) {
    if connection == observer { return saw(line) }
    if isSeeing, lives[connection] != nil { told.append((connection, line)) }
  }

  private mutating func saw(_ line: SaidLine) {
    if line.op == "ok" { isSeeing = true }
    if line.op == "missed" { isSeeing = false }
    guard line.op == "event", let topic = line.text("topic") else { return }
    let identity = line.text("meta") ?? ""
    let texts = ["payload", "meta", "from"].reduce(256) { $0 + (line.raw($1)?.count ?? 0) }
    if let seq = line.number("seq") {
      // It has missed some, and is told later.
      if seq > published.count + 1 { return isSeeing = false }
      published.append(Published(topic: topic, identity: identity, bytes: texts + 256 + topic.utf8.count))
      bytesOf[identity, default: 0] += published[published.count - 1].bytes
      if seq != published.count { fail(.keptOnce, "the \(published.count)th kept event is \(line.spelled)") }
    }
    guard StayPlan.values.contains(topic) else { return }
    let payload = line.raw("payload").map(Array.init)
    let isAway = payload == nil || payload == Array("null".utf8)
    let old = values[topic]?.last
    let bytes = isAway ? 0 : texts + 64 + topic.utf8.count
    values[topic, default: []].append(
      Value(payload: isAway ? nil : payload, identity: identity, bytes: bytes, call: call))
    if bytes > old?.bytes ?? 0 { checkValues(identity, isNew: old?.payload == nil || old?.identity == identity) }
  }

  // MARK: What must hold

  /// Values keep to their limits, and each identity to its share, whenever one is added that replaces nobody else's.
  private mutating func checkValues(_ identity: String, isNew: Bool) {
    let there = values.values.compactMap(\.last).filter { $0.payload != nil }
    let bytes = there.reduce(0) { $0 + $1.bytes }
    let own = there.filter { $0.identity == identity }.reduce(0) { $0 + $1.bytes }
    if there.count > settings.maxRetainedTopics || bytes > settings.maxRetainedBytes {
      fail(.keptInBounds, "\(there.count) values of \(bytes) bytes stay")
    }
    let share = settings.shareOfFree * (settings.maxRetainedBytes - bytes + 1)
    guard identities > 1, isNew, own > share else { return }
    fail(.keptInBounds, "\(own) bytes of values are \(identity)'s, of \(share)")
  }

  /// What the core counts is within its limits.
  mutating func checkBytes(history: Int, retained: Int) {
    if history > settings.maxHistoryBytes { fail(.keptInBounds, "\(history) bytes of events are kept") }
    if retained > settings.maxRetainedBytes { fail(.keptInBounds, "\(retained) bytes of values stay") }
  }

  /// Whether an identity has never taken more than an equal part, whatever others have taken. Topics without events have
  /// an eighth.
  func isQuiet(_ identity: String) -> Bool {
    bytesOf[identity] ?? 0 <= settings.maxHistoryBytes / 8 * 7 / identities
  }

  /// Holds what listeners were told in this call against what was published.
  mutating func judge() {
    let lines = told
    told = []
    guard isSeeing else { return }
    for (connection, line) in lines {
      guard var life = lives[connection] else { continue }
      lives[connection] = nil
      life.hear(line, &self)
      lives[connection] = life
    }
  }

  /// All that was sent to a listener is read, and nothing more comes without a further event.
  mutating func judgeQuiet(_ connection: Int) {
    if isSeeing, let life = lives[connection] { life.endsQuietly(&self) }
  }

  /// The same, of all listeners.
  mutating func judgeQuiet() { for connection in lives.keys.sorted() { judgeQuiet(connection) } }
}
