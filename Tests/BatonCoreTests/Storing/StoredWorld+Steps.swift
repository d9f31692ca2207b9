import Foundation

@testable import BatonCore

/// What peers do, and what they hear.
extension StoredWorld {
  func say(_ line: String, _ connection: Int) { driver.receive(Array((line + "\n").utf8), from: connection) }

  func publish() {
    let topic = StoredWorld.topics[luck.below(StoredWorld.topics.count)]
    say(#"{"op":"broadcast","topic":"\#(topic)","payload":\#(published),"reply":false}"#, publisher)
    for reader in readers { reader.note(published, topic) }
    published += 1
  }

  func retain() {
    let topic = "v.\(luck.below(5))"
    let isRemoval = luck.chance(20)
    let number = values.begin(topic, isRemoval: isRemoval)
    let payload = isRemoval ? "null" : "\(number)"
    let via = luck.chance(20) ? #","via":"nowhere""# : ""
    say(#"{"op":"broadcast","id":\#(number),"topic":"\#(topic)","payload":\#(payload),"retain":true\#(via)}"#, sender)
  }

  /// The sender reads what it was told about values.
  func hearReplies() throws {
    senderText += driver.takeAll(of: sender)
    while let end = senderText.firstIndex(of: 10) {
      let line = try JSONSerialization.jsonObject(with: Data(senderText[..<end])) as? [String: Any] ?? [:]
      senderText.removeSubrange(...end)
      guard let id = line["id"] as? Int else { continue }
      if line["op"] as? String == "error" {
        let isExpected = ["store_failed", "draining"].contains(line["code"] as? String)
        if !isExpected { throw StoredViolation(what: "\(line)") }
      } else {
        try values.confirm(id, onDisk: store.disk)
      }
    }
  }

  /// The values as a peer sees them, in their order.
  func readValues() throws -> [(topic: String, number: Int)] {
    let connection = driver.open()
    say(#"{"op":"subscribe","topics":["v.*"],"retained":true}"#, connection)
    var bytes: [UInt8] = []
    for _ in 0..<50 { bytes += driver.takeAll(of: connection) }
    driver.close(connection)
    driver.wake()
    return try bytes.split(separator: 10).compactMap {
      let line = try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] ?? [:]
      guard let topic = line["topic"] as? String, let number = line["payload"] as? Int else { return nil }
      return (topic, number)
    }
  }
}

extension StoredWorld {
  /// One random step.
  func step() throws {
    switch luck.below(100) {
    case 0: try crash()
    case 1: try luck.chance(50) ? end() : compareWhenWritten()
    case 2: copy()
    case 3..<8: driver.pass(milliseconds: luck.below(luck.chance(20) ? 1500 : 20))
    case 8..<20: commit(luck.below(store.pending.count + 1))
    case 20..<22: fail(luck.below(store.pending.count + 1))
    case 22..<32: takeWrites()
    case 32..<45: retain()
    case 45..<48: try hearReplies()
    case 48..<54: comeOrGo(readers[luck.below(readers.count)])
    case 54..<65: try read(readers[luck.below(readers.count)], atMost: luck.chance(30) ? .max : 1 + luck.below(300))
    default: publish()
    }
  }

  private func comeOrGo(_ reader: StoredReader) {
    if let connection = reader.connection {
      driver.close(connection)
      reader.connection = nil
    } else {
      let connection = driver.open()
      say(reader.subscribe(on: connection, published: published), connection)
    }
  }

  private func read(_ reader: StoredReader, atMost most: Int) throws {
    guard let connection = reader.connection else { return }
    while true {
      let bytes = driver.take(atMost: most, of: connection)
      if let wrong = try reader.read(bytes, isExact: isExact, plant) { throw StoredViolation(what: wrong) }
      if bytes.isEmpty || most < .max { return }
    }
  }

  /// The disk writes all that there is, and then has what memory has.
  private func compareWhenWritten() throws {
    for _ in 0..<20 {
      driver.pass(milliseconds: 1001)
      driver.wake()
      takeWrites()
      commit(store.pending.count)
    }
    try hearReplies()
    try compareMemory()
  }

  /// All that was published has come to everybody, or a word of it.
  func finish() throws {
    try compareWhenWritten()
    for reader in readers {
      if reader.connection == nil { comeOrGo(reader) }
      try read(reader, atMost: .max)
      if let wrong = reader.complaintAtEnd(isExact: isExact) { throw StoredViolation(what: wrong) }
    }
    try end()
    for reader in readers {
      comeOrGo(reader)
      try read(reader, atMost: .max)
      if let wrong = reader.complaintAtEnd(isExact: isExact) { throw StoredViolation(what: wrong) }
    }
  }
}
