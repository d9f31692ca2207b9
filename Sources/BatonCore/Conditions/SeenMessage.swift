/// What a condition may look at: each part as JSON that was found to be right, without white space around it, or nothing.
package struct SeenMessage {
  package var payload = UnsafeRawBufferPointer.empty
  package var meta = UnsafeRawBufferPointer.empty
  /// Texts with their quotes.
  package var topic = UnsafeRawBufferPointer.empty
  package var key = UnsafeRawBufferPointer.empty
  package var identity = UnsafeRawBufferPointer.empty

  package init() {}

  @inline(__always)
  func bytes(of part: Condition.MessagePart) -> UnsafeRawBufferPointer {
    switch part {
    case .payload: payload
    case .meta: meta
    case .topic: topic
    case .key: key
    case .identity: identity
    }
  }
}
