/// The values that members may have, where the wire is not the only place for them: settings of a link also stand in the
/// operator's file (contract, section 5), and its text in `check` (section 11).
package enum MemberRange {
  /// `timeout_ms`.
  @inline(__always)
  package static var timeoutMilliseconds: ClosedRange<Int64> { 1...86_400_000 }
  /// `hold_ms`.
  package static var holdMilliseconds: ClosedRange<Int64> { 0...86_400_000 }
  /// `window`.
  package static var window: ClosedRange<Int64> { 1...65_536 }
  /// `tries`.
  package static var tries: ClosedRange<Int64> { 1...1000 }
  /// `retry_ms`: no time between two tries is longer.
  package static var retryMilliseconds: ClosedRange<Int64> { 1...600_000 }
  /// `expires_ms` and `remembered_ms`: at most a week.
  package static var expiresMilliseconds: ClosedRange<Int64> { 1...604_800_000 }
  /// How many patterns `accepts` may have.
  package static var patterns: Int { 64 }
  /// How many bytes the text of a file may have.
  package static var fileBytes: Int { 1 << 20 }
}
