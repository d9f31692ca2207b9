/// What a record of a cluster's log says to the file of a node. It is carried out in one commit with its position, and may be
/// carried out twice in a row with the same outcome.
package enum LogStep: Equatable, Sendable {
  /// Changes, as `LogChanges` of the store writes them.
  case commit([UInt8], LogPosition)
  /// Another node leads from now on: what a server notes in its file when it starts.
  case leads(LogPosition)
  /// A log begins, and these are the facts that all its files have in common.
  case begins([UInt8], LogPosition)

  /// How far the log is carried out with it.
  package var position: LogPosition {
    switch self {
    case .commit(_, let position), .leads(let position), .begins(_, let position): position
    }
  }
}
