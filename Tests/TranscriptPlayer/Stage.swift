package import BatonCore

/// Where a transcript is played: the core in a simulated network, or the real program. The player tells the stage what
/// peers do, and asks what they got. The stage compares nothing.
package protocol Stage {
  /// True if time passes by itself, so that remaining times may be shorter than written.
  var clockRuns: Bool { get }
  /// Connects a peer under a name that is not in use. `facts` is what the server is to know of it beforehand.
  func connect(_ peer: String, _ facts: PeerFacts) throws
  /// Sends bytes. When this returns, they have left the peer; they may not have reached the server.
  func send(_ bytes: [UInt8], from peer: String) throws
  /// Shuts down the peer's writing side.
  func halfClose(_ peer: String) throws
  /// Closes the peer's socket; the server reads an end.
  func close(_ peer: String) throws
  /// Resets the peer's connection; the server reads an error.
  func reset(_ peer: String) throws
  /// From now on the peer reads, or stops reading and leaves what comes in the network.
  func setReading(_ reading: Bool, of peer: String) throws
  /// The next thing that comes to the peer. With a running clock this waits for a long time.
  func receive(_ peer: String) throws -> Received
  /// What has come to the peer, without waiting.
  func received(_ peer: String) throws -> Received
  /// Returns when everything that was sent has had its effect, and the effect has come to the peers.
  func settle() throws
  /// Lets time pass. With a running clock this does not wait: what comes later is received when it comes.
  func advance(milliseconds: Int) throws
  /// True once neither side of the peer's connection is open. With a running clock this waits for a long time.
  func isGone(_ peer: String) throws -> Bool
  /// The server reads its file anew, which says this now. When this returns, all of it has been carried out.
  func reload(_ file: Transcript.File) throws
  /// The configuration file says this now. It is not read yet.
  func write(_ file: Transcript.File) throws
  /// A mistake comes into the configuration file, which is not read yet.
  func spoilFile() throws
  /// What the store does from now on with what it is given.
  func set(_ store: Transcript.StoreState) throws
  /// The server ends without a word, and starts again with what its store has. Peers connect anew.
  func startAgain() throws
  /// Tells the server to drain.
  func drain() throws
  /// True once the server has ended and all went well. With a running clock this waits for a long time.
  func hasEnded() throws -> Bool
}

/// What a peer can receive.
package enum Received: Equatable, Sendable {
  /// A line, without its LF.
  case line([UInt8])
  /// The end of the stream, and the bytes before it that are no whole line.
  case end(unfinished: [UInt8])
  /// Nothing so far.
  case nothing

  /// How a report says it.
  var told: String {
    switch self {
    case .line(let bytes): return Self.told(bytes)
    case .end(let unfinished): return unfinished.isEmpty ? "is closed" : "is closed within \(Self.told(unfinished))"
    case .nothing: return "nothing"
    }
  }

  private static func told(_ bytes: [UInt8]) -> String {
    if bytes.count <= 1000 { return String(decoding: bytes, as: UTF8.self) }
    let start = String(decoding: bytes.prefix(300), as: UTF8.self)
    return "\(start)[… \(bytes.count) bytes in all …]\(String(decoding: bytes.suffix(100), as: UTF8.self))"
  }
}
