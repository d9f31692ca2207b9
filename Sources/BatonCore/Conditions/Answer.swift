// Conditions: what a link asks of a message before it is offered: reading a condition, its spelling, and the answer to it.
// This room knows neither links nor walks. It calls JSON and Tables.

/// What a condition says of a message. Only with `no` a message passes a link: in doubt it is asked.
///
/// The order is that of the contract: in a list the best answer counts, in an object the worst.
package enum Answer: UInt8, Comparable, Sendable {
  case no, unknown, fits

  package static func < (left: Answer, right: Answer) -> Bool { left.rawValue < right.rawValue }

  /// Both ways to compare must agree.
  init(_ first: Bool, _ second: Bool) { self = first != second ? .unknown : first ? .fits : .no }

  init(_ fits: Bool) { self = fits ? .fits : .no }

  /// What `anything-but` makes of it.
  var opposite: Answer {
    switch self {
    case .no: .fits
    case .unknown: .unknown
    case .fits: .no
    }
  }
}
