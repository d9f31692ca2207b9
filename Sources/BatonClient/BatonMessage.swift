/// A kind of message that has a topic of its own, for those who send it and those who handle it.
///
///     struct DoorOpen: BatonMessage {
///       static let topic = "door.open"
///       var door: Int
///     }
public protocol BatonMessage: Codable, Sendable {
  /// The topic that it is sent under.
  static var topic: String { get }
}
