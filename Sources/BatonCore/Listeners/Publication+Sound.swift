internal import BatonLasting

extension Publication {
  /// When it was published, by the router's clock. What comes from a disk may be any time at all.
  func published(at now: Instant, wall: Int64) -> Instant {
    let decade: Int64 = 315_360_000_000
    let age = min(max(wall.subtractingReportingOverflow(at).partialValue, -decade), decade)
    return now.advanced(milliseconds: -Int(age))
  }

  /// The same, by the wall clock.
  static func wall(of published: Instant, at now: Instant, wall: Int64) -> Int64 {
    wall - (now.microseconds - published.microseconds) / 1000
  }

  /// A number that may come from a disk, and may be any.
  static func number(_ number: UInt64) -> Int { Int(min(number, 1 << 53)) }

  /// Whether bytes of a store say what can be published.
  var isSound: Bool {
    func holds(_ bytes: [UInt8], _ test: (UnsafeRawBufferPointer) -> Bool) -> Bool { bytes.withUnsafeBytes(test) }
    return holds(topic) { Words.complaint(topic: $0) == nil && !Words.isServers($0) }
      && holds(payload, StoredText.isValueOrNothing) && holds(meta, StoredText.isValueOrNothing)
      && holds(from, StoredText.isText)
  }
}
