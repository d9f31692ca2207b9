/// Why a subscriber misses an event (contract, section 7).
struct EventObstacle {
  /// Whose doing it is.
  enum Cause: UInt8 {
    /// The subscriber reads too slowly.
    case reader
    /// All connections of its identity have their share.
    case identity
    /// All connections together have too much.
    case all
    /// The subscriber had cost too much in this turn.
    case turn
  }

  let cause: Cause
  /// The setting that decides it, or empty.
  let setting: StaticString

  init(_ cause: Cause, _ setting: StaticString) { (self.cause, self.setting) = (cause, setting) }
}
