/// One entry of `topics` in the configuration file: of which topics events are kept, and how many (contract, section 14).
public struct KeptTopics: Equatable, Sendable {
  /// The pattern of the topics. The first entry whose pattern matches a topic counts.
  public var pattern: [UInt8]
  /// How many events of each topic are kept, the latest ones.
  public var keep: Int
  /// How long they are kept, in milliseconds; nil: as long as there are not too many.
  public var keepMilliseconds: Int?

  /// Keeps so many events of each topic that the pattern matches.
  public init(pattern: [UInt8], keep: Int, keepMilliseconds: Int? = nil) {
    self.pattern = pattern
    self.keep = keep
    self.keepMilliseconds = keepMilliseconds
  }

  /// How many entries a file may have: each event is held against them.
  public static let most = 100
  /// What `keep` may be.
  public static let keepRange = Int(MemberRange.keep.lowerBound)...Int(MemberRange.keep.upperBound)
  /// What `keep_ms` may be.
  public static let keepMillisecondsRange =
    Int(MemberRange.keepMilliseconds.lowerBound)...Int(MemberRange.keepMilliseconds.upperBound)

  func matches(_ topic: UnsafeRawBufferPointer) -> Bool {
    pattern.withUnsafeBytes { Pattern.matches(topic, pattern: $0) }
  }

  /// Whether an event of that time is too old.
  func isOver(_ event: Instant, at now: Instant) -> Bool {
    keepMilliseconds.map { event.advanced(milliseconds: $0) <= now } ?? false
  }
}
