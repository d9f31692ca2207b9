import COpenSSL
import Testing

@testable import TLS

/// What goes through an encrypted connection once it stands.
@Suite struct SessionTests {
  private let pair: Pair

  init() throws {
    pair = try Pair()
    try #require(pair.shakeHands() == (.done, .done))
  }

  @Test func aRecordIsReadWhenItIsWhole() throws {
    let line = Array(#"{"op":"ping"}"#.utf8)
    for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
      let ciphertext = try from.encrypt(line)
      for (index, byte) in ciphertext.enumerated() {
        to.feed([byte])
        let read = to.decrypt()
        #expect(read.bytes == (index == ciphertext.count - 1 ? line : []))
        #expect(read.end == .nothing)
      }
    }
  }

  @Test(arguments: [1, 5000, TLSSession.recordSize - 1, TLSSession.recordSize, TLSSession.recordSize + 1, 3_000_000])
  func largePiecesGoThrough(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] {
      var got: [UInt8] = []
      for piece in try from.encrypt(bytes).pieces(of: 60_001) {
        to.feed(piece)
        // A buffer that is smaller than a record takes the rest later.
        let read = to.decrypt(most: 1009)
        #expect(read.end == .nothing)
        got += read.bytes
      }
      #expect(got == bytes)
      #expect(!to.hasIncoming)
    }
  }

  @Test func aChangedByteEndsIt() throws {
    let line = Array("abc".utf8)
    let count = try pair.client.encrypt(line).count
    for index in 0..<count {
      let pair = try Pair()
      try #require(pair.shakeHands() == (.done, .done))
      var ciphertext = try pair.client.encrypt(line)
      ciphertext[index] ^= 1
      pair.server.feed(ciphertext + (try pair.client.encrypt([UInt8](repeating: 0, count: 600))))
      let read = pair.server.decrypt()
      #expect(read.bytes == [] && !read.end.fault.isEmpty, "byte \(index): \(read.end)")
    }
  }

  @Test func nothingCountsBehindTheGoodbye() throws {
    let line = Array("last\n".utf8)
    var ciphertext = try pair.client.encrypt(line)
    pair.client.endWriting()
    let goodbye = pair.client.takeOutgoing()
    #expect(!goodbye.isEmpty)
    ciphertext += goodbye
    // Neither what was said before once more, nor any other bytes.
    pair.server.feed(ciphertext + ciphertext + [1, 2, 3])
    let read = pair.server.decrypt()
    #expect(read.bytes == line && read.end == .end)
    #expect(pair.server.decrypt() == ([], .end))
    // The other way is open.
    pair.client.feed(try pair.server.encrypt(line))
    #expect(pair.client.decrypt() == (line, .nothing))
  }

  @Test func withoutAGoodbyeThereIsNoEnd() throws {
    let ciphertext = try pair.client.encrypt(Array("half".utf8))
    pair.server.feed(ciphertext)
    #expect(pair.server.decrypt() == (Array("half".utf8), .nothing))
    #expect(pair.server.decrypt() == ([], .nothing))
  }

  @Test func nobodyIsGreetedBeforeTheHandshake() throws {
    let client = try TLSSession(TLSContext(.client, .client()), host: "localhost")
    client.endWriting()
    #expect(client.takeOutgoing().isEmpty)
  }

  /// A peer that changes its keys all the time costs something, and says nothing.
  @Test(arguments: [SSL_KEY_UPDATE_NOT_REQUESTED, SSL_KEY_UPDATE_REQUESTED])
  func aFloodOfNewKeysEndsIt(kind: Int32) throws {
    var renewals = 0
    while renewals < 1000 {
      #expect(SSL_key_update(pair.client.session, kind) == 1)
      pair.server.feed(try pair.client.encrypt([UInt8(ascii: "x")]))
      let read = pair.server.decrypt()
      guard read.end == .nothing else { break }
      #expect(read.bytes == [UInt8(ascii: "x")])
      renewals += 1
      pair.client.feed(pair.server.takeOutgoing())
      #expect(pair.client.decrypt().end == .nothing)
    }
    #expect(renewals == 100)
  }

  @Test func keysMayBeRenewed() throws {
    for round in UInt8(0)..<10 {
      let (from, to) = round % 2 == 0 ? (pair.client, pair.server) : (pair.server, pair.client)
      #expect(SSL_key_update(from.session, SSL_KEY_UPDATE_REQUESTED) == 1)
      to.feed(try from.encrypt([round]))
      #expect(to.decrypt() == ([round], .nothing))
      from.feed(try to.encrypt([round]))
      #expect(from.decrypt() == ([round], .nothing))
    }
  }
}
