/// Refuses requests: tells the peer the fault, and counts it (contract, section 9).
extension Router {
  /// Tells the peer the fault of its request. If too many requests had a wrong form, ends the connection.
  @inline(never)
  mutating func refuse(_ fault: Fault, to connection: Slot<Connection>, at now: Instant) {
    let isVerdict = request.isVerdict
    var fault = fault
    if fault.right != nil, connections[connection].hasCertificate,
      identities[connections[connection].identity].isAnonymous
    {
      fault.words += "; \(PeerFacts.unknownCertificate)"
    }
    sayError(fault, id: request.id(isOffer: isVerdict), isOffer: isVerdict, to: connection, at: now)
    if let right = fault.right { noteDenied(right, to: connection, at: now) }
    if fault.code.isAboutForm || fault.right != nil { countError(of: connection, at: now) }
  }

  /// Counts an error. More than `max_errors` within `errors_ms` end the connection: its program probably answers errors
  /// with errors (contract, section 9).
  private mutating func countError(of connection: Slot<Connection>, at now: Instant) {
    let since = now.advanced(milliseconds: -settings.errorsMilliseconds)
    connections[connection].errors.removeAll { $0 <= since }
    connections[connection].errors.append(now)
    guard connections[connection].errors.count > settings.maxErrors else { return }
    sever(
      connection, .tooManyErrors, setting: "max_errors",
      says: "more than \(settings.maxErrors) errors in \(settings.errorsMilliseconds) ms; "
        + "does the program answer errors with errors?", at: now)
  }
}
