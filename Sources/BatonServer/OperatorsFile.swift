public import BatonCore

/// What the operator says, in a file or otherwise, and what becomes of it at a reload (contract, section 11). Reading it
/// takes long; so that is done beside the loop, and only what follows is done on it.
public protocol OperatorsFile: AnyObject {
  /// What was read, right or wrong.
  associatedtype Content: Sendable

  /// How to read it. What is returned runs on another thread. A text stands in the place of the file.
  func reading(of text: [UInt8]?) -> @Sendable () -> Content

  /// Carries out what was read: all of it, or nothing. If it was a text, it says what that would change, and changes
  /// nothing.
  func take(_ content: Content) -> ReloadNews
}
