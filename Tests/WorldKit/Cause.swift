/// Why a link fails a message (contract, section 6).
package enum Cause: String, CaseIterable {
  case timeout, disconnect, failed, overload, breaker
}

/// What a link's failure does to the message, per cause: `on_failure`.
package enum Policy: Equatable {
  case `continue`
  case stop
  /// The causes that are named, each with whether it stops; the others continue.
  case perCause([Cause: Bool])

  /// Two policies are equal if they stop for the same causes, however they are spelled.
  package static func == (left: Policy, right: Policy) -> Bool {
    Cause.allCases.allSatisfy { left.stops($0) == right.stops($0) }
  }

  package var stopsAlways: Bool { Cause.allCases.allSatisfy(stops) }

  package func stops(_ cause: Cause) -> Bool {
    switch self {
    case .continue: false
    case .stop: true
    case .perCause(let causes): causes[cause] ?? false
    }
  }
}
