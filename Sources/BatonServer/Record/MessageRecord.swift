package import BatonLasting

/// What ends of messages are written to: on a thread of its own, so that the loop never waits for the disk.
package protocol MessageRecord: AnyObject {
  /// Has the items recorded, after those that were given before.
  func give(_ items: [RecordItem], at wall: Int64)
  /// What is new since this was asked last. The record wakes the loop when there is some.
  func takeNews() -> RecordNews
  /// Nothing is given any more: what was given is written, and the record is closed.
  func close()
  /// Waits until it is closed, for at most so many milliseconds. Returns whether it is.
  func waitForEnd(milliseconds: Int) -> Bool
}
