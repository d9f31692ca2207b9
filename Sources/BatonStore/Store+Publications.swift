internal import BatonLasting

/// Values, kept events, and what is known of their numbers.
extension Store {
  func carryOut(_ change: PublicationChange) throws(DatabaseError) {
    switch change {
    case .setValue(let kept, let number): try setValue(kept, number)
    case .removeValue(let topic):
      try withBytes(topic) { (topic) throws(DatabaseError) in
        tables.removeValue.bind(1, topic)
        try tables.removeValue.run()
      }
    case .addEvent(let kept): try addEvent(kept)
    case .removeEvents(let numbers): for number in numbers { try tables.removeEvent.run(number) }
    case .reserve(let seq):
      try setFact("reserved", seq)
      try renewMark()
    case .end(let seq): try setFact("ended", seq)
    }
  }

  private func setValue(_ kept: Publication, _ number: UInt64) throws(DatabaseError) {
    PublicationRow.write(kept, RowKind.value, row: number, to: &row)
    let set = tables.setValue
    set.bind(1, number)
    try withBytes(kept.topic, row.bytes) { (topic, about) throws(DatabaseError) in
      set.bind(2, topic)
      set.bind(3, about)
      try withBytes(kept.payload) { (payload) throws(DatabaseError) in
        set.bind(4, payload)
        try set.run()
      }
    }
  }

  private func addEvent(_ kept: Publication) throws(DatabaseError) {
    PublicationRow.write(kept, RowKind.event, row: kept.seq, to: &row)
    let add = tables.addEvent
    add.bind(1, kept.seq)
    try withBytes(row.bytes, kept.payload) { (about, payload) throws(DatabaseError) in
      add.bind(2, about)
      add.bind(3, payload)
      try add.run()
    }
  }

  /// The mark changes when numbers are reserved: a copy that was made before that is not the store that was written last,
  /// although it is of the same start, and would use the numbers once more. If the server dies before the commit is on
  /// disk, the next epoch is another one.
  func renewMark() throws(DatabaseError) {
    // A mark that cannot be written is another one than that of the store: so the next epoch is another one.
    try setFact("mark", (try? mark.write(Opening.random(4))) ?? Opening.random(4))
  }

  func setFact(_ name: String, _ seq: UInt64) throws(DatabaseError) { try setFact(name, Facts.bytes(seq)) }

  func setFact(_ name: String, _ bytes: [UInt8]) throws(DatabaseError) {
    tables.setFact.bind(1, name)
    try withBytes(FactRow.written(bytes, name: name)) { (value) throws(DatabaseError) in
      tables.setFact.bind(2, value)
      try tables.setFact.run()
    }
  }
}
