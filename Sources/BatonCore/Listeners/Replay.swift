/// What is kept and still to be given to a subscriber, before live events come (contract, section 14). It knows no
/// connections and writes nothing.
final class Replay {
  /// Of what is kept.
  enum Kind {
    /// Values that stay. `position` counts their changes.
    case values
    /// Events. `position` is the number of the last one that was looked at.
    case events
  }

  let kind: Kind
  /// The patterns of the request, without those that were unsubscribed since.
  private var patterns: PreparedPatterns
  /// How far it has come.
  var position: Int
  /// For events: the last one that was looked at.
  var last = Ref<KeptEvent>.none
  /// For values: the latest change when the request came. Later ones are given live.
  let end: Int
  /// The latest drop of an event that was looked at.
  var drops = 0
  /// Up to here, forgotten topics may have lost events.
  var forgottenUpTo = 0
  /// Up to here, events are gone that are still to be told of.
  var goneUpTo = 0
  /// Whether it is not known what is missing: that is told first.
  var isUnknown = false
  /// Whether that was told, and nothing was given since: what else is gone there goes without saying.
  var isTold = false
  /// Whether a hole was told, and nothing was given since.
  var endsInHole = false
  /// Whether a job goes on with it, or it waits for room.
  var isListed = false

  init(_ kind: Kind, _ patterns: PreparedPatterns, from position: Int, to end: Int = 0) {
    self.kind = kind
    self.patterns = patterns
    isWhole = patterns.haveAll
    self.position = position
    self.end = end
  }

  /// Whether a topic matches one of its patterns. What that costs is added to `cost`.
  func matches(_ topic: UnsafeRawBufferPointer, _ cost: inout Int) -> Bool { patterns.matches(topic, &cost) }

  /// Whether no event of any kept topic is left out.
  private(set) var isWhole: Bool

  /// A pattern is subscribed no more. Returns false if no pattern is left.
  func drop(_ pattern: [UInt8]) -> Bool {
    patterns.remove(pattern)
    isWhole = patterns.haveAll
    return !patterns.patterns.isEmpty
  }
}
