extension Connection {
  /// What a connection has asked of the keeper of durable messages.
  struct Asking {
    /// Its requests that the keeper of durable messages has still to answer.
    var firstTicket = Slot<Ticket>.nobody
    var lastTicket = Slot<Ticket>.nobody
    /// What its durable messages take that are on their way to the disk.
    var storingBytes = 0
    /// Whether results that it has asked for again wait until it has read.
    var isToldLater = false
  }
}
