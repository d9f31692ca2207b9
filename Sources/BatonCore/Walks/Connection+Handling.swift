extension Connection {
  /// What a connection has been offered. Nearly all connections serve nothing.
  var handling: Handling {
    @inline(__always) unsafeAddress { lateHandling.address }
    @inline(__always) unsafeMutableAddress { lateHandling.made() }
  }

  /// The same, as it is kept.
  struct Handling: ~Copyable, LatePart {
    var offers = OfferRow()
    /// The number of its links whose queues are still to be served, because it reads again.
    var linksToServe = 0
    /// The offers that timed out and that it has not answered.
    var lapsed = 0
    /// Whether one of them was let go, because there was no room for it.
    var hasLetGo = false

    static let untouched = Untouched(Handling())
  }
}
