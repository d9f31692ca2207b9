/// One message put to one handler.
package struct Offer {
  enum State: Equatable {
    case open
    /// A copy: no message waits for its answer.
    case shadow
    /// It has timed out; the handler has not answered it yet.
    case lapsed
  }

  package let id: Int
  /// The handler's.
  let connection: Int
  let walk: Int
  let link: Int
  /// What the offer called its link.
  let chain: String
  var handler: String
  /// What a failure of this offer means.
  let policy: Policy
  /// What its `timeout_ms` said.
  let timeoutMilliseconds: Int
  let made: Int
  /// How many milliseconds its message had waited at the link.
  let waited: Int
  let isRepeat: Bool
  /// Whether nobody knew if the message fits the link's condition.
  let isDoubtful: Bool
  /// Whether the handler got enough time for a timeout to count: the link's own timeout, or at least a second.
  let isFair: Bool
  var state: State
  /// Whether a reload took away the right to the link: an answer is refused.
  var isRevoked = false
  /// Whether a verdict without `id` that was refused counts as its answer.
  var isAnsweredInVain = false

  /// Whether its message waits for it.
  package var isOpen: Bool { state == .open }
}
