/// Messages that must be recorded, while the record cannot be written, or has enough to write (contract, section 10).
extension Router {
  /// Refuses a message that is not taken in now. Returns true if its line waits. `isPlain`: it is none that is recorded.
  @inline(never)
  mutating func mustWaitForRecord(
    isPlain: Bool, _ connection: Slot<Connection>, at now: Instant
  ) throws(Fault) -> Bool {
    try refuseWhileDraining()
    guard !isPlain, isRequestRecorded() else { return false }
    if refusals.contains(.recordFails) {
      throw Fault(
        .recordFailed,
        "the server's record cannot be written, and this message must be recorded; it was not taken in; send it again later"
      )
    }
    guard refusals.contains(.recordIsFull) else { return false }
    guard connections[connection].getsBusy else {
      leaveForLater(connection, at: now)
      return true
    }
    throw Fault(
      .busy,
      "the ends that the server's record has still to write take \(settings.recordQueueBytes) bytes "
        + "(record_queue_bytes); try again later")
  }
}
