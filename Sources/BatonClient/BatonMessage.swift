/// A kind of message with a topic of its own, for programs that send it and programs that handle it.
///
///     struct DoorOpen: BatonMessage {
///       static let topic = "door.open"
///       var door: Int
///     }
public protocol BatonMessage: Codable, Sendable {
  /// Its topic.
  static var topic: String { get }
}
