/// What is wrong with a line is said, and counted (contract, section 9).
extension Router {
  /// Says what is wrong with the line being read, and closes the connection where too many were wrong.
  @inline(never)
  mutating func refuse(_ fault: Fault, to connection: Slot<Connection>, at now: Instant) {
    let isVerdict = request.isVerdict
    sayError(fault, id: request.id(isOffer: isVerdict), isOffer: isVerdict, to: connection, at: now)
    if fault.code.isAboutForm { countError(of: connection, at: now) }
  }

  /// More than `max_errors` within `errors_ms`: somebody answers errors with errors (contract, section 9).
  private mutating func countError(of connection: Slot<Connection>, at now: Instant) {
    let since = now.advanced(milliseconds: -settings.errorsMilliseconds)
    connections[connection].errors.removeAll { $0 <= since }
    connections[connection].errors.append(now)
    guard connections[connection].errors.count > settings.maxErrors else { return }
    sever(
      connection, .tooManyErrors,
      says: "more than \(settings.maxErrors) errors in \(settings.errorsMilliseconds) ms; "
        + "does the program answer errors with errors?", at: now)
  }
}
