internal import BatonLasting

/// A value or a kept event, without its payload.
enum PublicationRow {
  static func write(_ kept: Publication, _ kind: UInt8, row number: UInt64, to row: inout RowWriter) {
    var sum = Checksum(RowKind.content, row: number)
    sum.add(kept.payload)
    row.begin()
    row.put(fixed: sum.value)
    row.put(kept.topic)
    row.put(kept.meta)
    row.put(kept.from)
    row.put(kept.identity)
    row.put(kept.seq)
    row.put(kept.at)
    row.end(kind, row: number)
  }

  /// Nil if the bytes are damaged.
  static func read(
    _ bytes: UnsafeRawBufferPointer, payload: [UInt8], _ kind: UInt8, row: UInt64
  ) -> Publication? {
    guard RowReader.isSound(bytes, kind, row: row) else { return nil }
    var reader = RowReader(bytes)
    guard let sum = reader.fixed(), let topic = reader.text(), let meta = reader.text(), let from = reader.text(),
      let identity = reader.text(), let seq = reader.count(), let at = reader.time()
    else { return nil }
    var right = Checksum(RowKind.content, row: row)
    right.add(payload)
    guard right.value == sum, kind == RowKind.value || seq == row else { return nil }
    return Publication(
      topic: topic, payload: payload, meta: meta, from: from, identity: identity, seq: seq, at: at)
  }
}
