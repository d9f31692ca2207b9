/// An event's line, without its end.
extension LineWriter {
  /// The most bytes that it takes, with what may follow.
  static func bound(_ event: Event) -> Int {
    160 + bound(pattern: event.topic.count) + event.payload.count + event.meta.count + event.from.count
  }

  /// `seq` is the event's number among those that are kept, or 0.
  @inline(__always)
  mutating func event(_ event: Event, seq: Int) {
    literal("{\"op\":\"event\",\"topic\":")
    text(event.topic)
    payload(event.payload)
    meta(event.meta)
    literal(",\"from\":")
    raw(event.from)
    within(event.within)
    if seq > 0 { count(",\"seq\":", seq) }
  }
}
