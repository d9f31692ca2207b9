/// One message put to one handler.
package struct Offer {
  enum State: Equatable {
    case open
    /// A copy: no message waits for its answer.
    case shadow
    /// Its time has run out; the handler has not answered it yet.
    case lapsed
  }

  package let id: Int
  let walk: Int
  let link: Int
  /// What the offer called its link.
  let chain: String
  var handler: String
  /// What its `timeout_ms` said.
  let timeoutMilliseconds: Int
  let made: Int
  /// Milliseconds that its message had waited for it at the link.
  let waited: Int
  let isRepeat: Bool
  /// Whether it was given the link's own time, or a second.
  let isFair: Bool
  var state: State

  /// Whether its message waits for it.
  package var isOpen: Bool { state == .open }
}
