import Testing

@testable import BatonServer

/// What a server keeps about encrypted connections, without the encryption: `Tests/Encryption` has real peers.
@Suite struct TLSTransportTests {
  private func take(_ bytes: [UInt8], _ records: inout HandshakeRecords) -> Bool {
    bytes.withUnsafeBytes { records.take($0) }
  }

  @Test func findsTheEndsOfRecordsHoweverTheyAreCut() {
    let two: [UInt8] = [0x16, 3, 1, 0, 3, 1, 2, 3, 0x14, 3, 3, 0, 1, 1]
    for grain in 1...two.count {
      var records = HandshakeRecords()
      var ends: [Int] = []
      for start in stride(from: 0, to: two.count, by: grain) {
        let end = min(start + grain, two.count)
        if take(Array(two[start..<end]), &records) { ends.append(end) }
      }
      #expect(records.whole == 2 && records.bytes == two.count)
      // A record is known to be whole as soon as its last byte is there.
      #expect(
        ends
          == [8, 14].map { min(($0 + grain - 1) / grain * grain, two.count) }.reduce(into: []) { found, end in
            if found.last != end { found.append(end) }
          })
    }
  }

  @Test func aRecordThatIsTooLongIsNotWaitedFor() {
    var records = HandshakeRecords()
    #expect(take([0x16, 3, 1, 0xFF, 0xFF], &records))
    #expect(!records.areTooMany)
  }

  @Test func aRecordWithoutContentIsWhole() {
    var records = HandshakeRecords()
    for _ in 0...64 { #expect(take([0x16, 3, 1, 0, 0], &records)) }
    #expect(records.areTooMany)
  }
}
