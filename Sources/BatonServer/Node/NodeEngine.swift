package import BatonLasting

/// Who finds out whether a node leads, beside the server's loop. The loop never waits for it, but at the end.
package protocol NodeEngine: AnyObject, Sendable {
  /// Begins. `wake` is called from another thread, again and again. Returns false if the system has no thread left.
  func begin(wake: @escaping @Sendable () -> Void) -> Bool
  /// Until when the node leads, in milliseconds of `BootClock`; 0: it does not.
  var until: Int64 { get }
  /// What is known now.
  var news: NodeNews { get }
  /// What the log is to tell since this was called last.
  func takeNotes() -> [NodeNote]
  /// The server's loop has turned.
  func hasTurned()
  /// What durable messages go to; nil without a store.
  var messages: (any MessageStore)? { get }
  /// The server takes over, and reads its store meanwhile; or it has done so.
  func takesOver(_ begins: Bool)
  /// The server drains, and this node, or any, is to lead next.
  func leaves(to node: String?)
  /// The server has ended, and others may lead. Waits until they know, so many milliseconds at most.
  func letGo(within milliseconds: Int) -> Bool
  /// The server's file says this now.
  func takes(digest: String, nodes: [String: String], pages: [String: String])
}
