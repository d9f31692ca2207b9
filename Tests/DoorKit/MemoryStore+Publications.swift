import BatonLasting

/// Values and kept events in memory.
struct PublicationsInMemory {
  private(set) var values: [[UInt8]: (publication: Publication, change: UInt64)] = [:]
  private(set) var events: [UInt64: Publication] = [:]
  /// Numbers up to this one may have been used.
  private(set) var seq: UInt64 = 0

  mutating func apply(_ change: PublicationChange) {
    switch change {
    case .setValue(let value, let number): values[value.topic] = (value, number)
    case .removeValue(let topic): values[topic] = nil
    case .addEvent(let event): events[event.seq] = event
    case .removeEvents(let numbers): for number in numbers { events[number] = nil }
    case .reserve(let number), .end(let number): seq = number
    }
  }

  /// With what a log begins: the numbers of events that may have been used.
  var base: [UInt8] { withUnsafeBytes(of: seq.littleEndian) { Array($0) } }

  mutating func apply(base: [UInt8]) { seq = base.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  /// The values, the one that has not changed for the longest time first.
  var valuesInOrder: [(publication: Publication, change: UInt64)] { values.values.sorted { $0.change < $1.change } }

  var eventsInOrder: [Publication] { events.values.sorted { $0.seq < $1.seq } }
}
