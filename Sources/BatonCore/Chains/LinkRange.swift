/// The values that settings of a link may have, on the wire and in the operator's file (contract, section 5).
package enum LinkRange {
  /// `timeout_ms`.
  @inline(__always)
  package static var timeoutMilliseconds: ClosedRange<Int64> { 1...86_400_000 }
  /// `hold_ms`.
  package static var holdMilliseconds: ClosedRange<Int64> { 0...86_400_000 }
  /// `window`.
  package static var window: ClosedRange<Int64> { 1...65_536 }
  /// How many patterns `accepts` may have.
  package static var patterns: Int { 64 }
}
