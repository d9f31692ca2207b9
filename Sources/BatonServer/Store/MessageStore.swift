package import BatonLasting

/// What durable messages are written to: on a thread of its own, so that the loop never waits for the disk.
package protocol MessageStore: AnyObject {
  /// Has the jobs carried out, after those that were given before. What is given at once is committed together.
  func give(_ jobs: [StoreJob])
  /// The answers that there are, in the order of their jobs. The store wakes the loop when there are some.
  func takeAnswers() -> [StoreAnswer]
  /// Why the last commit failed that did; nil if none has.
  var lastError: String? { get }
  /// Why a read has failed since this was asked last; nil if none has.
  func takeReadError() -> String?
  /// Whether a commit has failed because the file is damaged.
  var isDamaged: Bool { get }
  /// Whether the last commit failed because the file has gone, or is another one.
  var hasLostFile: Bool { get }
  /// How the log of the store is.
  var log: StoreLogFacts { get }
  /// Nothing is given any more: what was given is carried out, and the store is closed.
  func close()
  /// Waits until it is closed, for at most so many milliseconds. Returns whether it is.
  func waitForEnd(milliseconds: Int) -> Bool
  /// Why it did not end in order; nil if it did. What was stored is kept.
  var endError: String? { get }
}
