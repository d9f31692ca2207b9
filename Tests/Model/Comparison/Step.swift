import BatonModel

/// What can happen in a world: one call for the core and one for the model.
enum Step {
  case open
  case line(Int, Asked)
  case halfClose(Int)
  case close(Int)
  /// So many milliseconds later.
  case pass(Int)

  var description: String {
    switch self {
    case .open: "a peer connects"
    case .line(let connection, let asked): "#\(connection + 1) → \(asked.line)"
    case .halfClose(let connection): "#\(connection + 1) half-closes"
    case .close(let connection): "#\(connection + 1) closes"
    case .pass(let milliseconds): "\(milliseconds) ms pass"
    }
  }
}
