import BatonCore
import DoorKit
import Foundation
import ProgramKit

@testable import TranscriptPlayer

/// The real program over TCP: one server for one transcript, one socket for each peer.
///
/// The stage has a connection of its own for probing. After two pings there, one after the other, everything that was
/// sent before them has been read, carried out and written.
final class ProgramStage: Stage {
  /// Little room, so that the server soon notices a peer that does not read.
  private static let room: Int32 = 1 << 16

  private let server: RunningServer
  /// The configuration file; nil if the transcript tells of none.
  private let file: ServerFile?
  /// The folder of the store; nil if the transcript has none.
  private let storeFolder: URL?
  /// Whether the file says who may do what.
  private let asksWho: Bool
  private var peers: [String: Peer] = [:]
  private var sounding: Peer?
  private var soundings = 0

  /// Starts the program as the head of a transcript says.
  init(_ transcript: Transcript) throws {
    // The probing connection counts too, and must not take a peer's place.
    let limit = transcript.settings.first { $0.name == "max_connections" }
    // What changes stands in the file: options would win over it.
    let passed = (transcript.file.settings.isEmpty ? transcript.settings : []).map {
      "\($0.name)=\(ServerFile.value(of: $0))"
    }
    file = transcript.hasFile ? try ServerFile(transcript.file) : nil
    asksWho = !transcript.file.entries.isEmpty
    storeFolder = transcript.hasStore ? try Self.newFolder() : nil
    server = try RunningServer(
      passed.flatMap { ["--set", $0] } + transcript.guards.flatMap { ["--guard", $0] }
        + (file.map { ["--config", $0.path] } ?? [])
        + (storeFolder.map { ["--store", $0.appending(path: "baton.store").path] } ?? []), errors: .intoLog)
    if limit != nil { try sound() }
  }

  deinit {
    if let storeFolder { try? FileManager.default.removeItem(at: storeFolder) }
  }

  private static func newFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// What the program has written to its log so far.
  var log: String { server.program.log }

  var clockRuns: Bool { true }

  func connect(_ peer: String, _ facts: PeerFacts) throws { peers[peer] = try Peer(server.place, room: Self.room) }

  func send(_ bytes: [UInt8], from peer: String) throws {
    // A server that has closed takes nothing any more. The transcript tells what the peer gets then.
    guard try named(peer).say(bytes: bytes) else { throw StageError("the server does not read") }
  }

  func halfClose(_ peer: String) throws { try named(peer).halfClose() }

  func close(_ peer: String) throws {
    try named(peer).endsFirst()
    peers[peer] = nil
  }

  func reset(_ peer: String) throws {
    try named(peer).resetsAtTheEnd()
    peers[peer] = nil
  }

  func setReading(_ reading: Bool, of peer: String) throws { try named(peer).reads = reading }

  func receive(_ peer: String) throws -> Received {
    let named = try named(peer)
    if named.reads, let line = named.lineOfBytes() { return .line(line) }
    return try received(peer)
  }

  func received(_ peer: String) throws -> Received {
    let named = try named(peer)
    if let line = named.takeLine() { return .line(line) }
    return named.hasEnded ? .end(unfinished: named.unfinished) : .nothing
  }

  func settle() throws {
    if server.program.isRunning { try sound() }
    for peer in peers.values where peer.reads { peer.readWhatIsThere() }
  }

  func advance(milliseconds: Int) throws {}

  func isGone(_ peer: String) throws -> Bool { try named(peer).breaks() }

  func write(_ contents: Transcript.File) throws {
    guard let file, asksWho == !contents.entries.isEmpty else {
      throw StageError("the program was started without identities, or without a file")
    }
    try file.write(contents)
  }

  func reload(_ contents: Transcript.File) throws {
    try write(contents)
    try sound()
    let got = sounding?.ask(#"{"op":"reload"}"#)
    guard got?.hasPrefix(#"{"op":"ok""#) == true else { throw StageError("a reload got \(got ?? "nothing")\n\(log)") }
    try settle()
  }

  func spoilFile() throws { try file?.spoil() }

  func set(_ store: Transcript.StoreState) throws { throw StageError("only the core has such a store") }

  func startAgain() throws { throw StageError("the program is not started again within a transcript") }

  func drain() throws {
    // A server that drains takes no new connections, so the probing connection must be open before.
    try sound()
    server.program.send(SIGTERM)
  }

  func hasEnded() throws -> Bool {
    let status = server.program.wait()
    guard status == 0 else { throw StageError("the server ended with status \(status)") }
    return true
  }

  private func named(_ peer: String) throws -> Peer {
    guard let found = peers[peer] else { throw StageError("there is no peer \(peer)") }
    return found
  }

  private func newSounding() throws -> Peer {
    let peer = try Peer(server.place)
    guard asksWho else { return peer }
    let got = peer.ask(#"{"op":"hello","token":"\#(TestToken.text(of: ServerFile.stage.name))"}"#)
    if got?.hasPrefix(#"{"op":"welcome""#) == true { return peer }
    throw StageError("the stage's hello got \(got ?? "nothing")\n\(log)")
  }

  private func sound() throws {
    let line = try sounding ?? newSounding()
    sounding = line
    for _ in 0..<2 {
      soundings += 1
      var got = line.ask(#"{"op":"ping","id":\#(soundings)}"#)
      while got?.hasPrefix(#"{"op":"draining""#) == true { got = line.line() }
      // A server that drains closes this connection too. Then everything has had its effect.
      if line.hasEnded { return }
      guard got == #"{"op":"pong","id":\#(soundings)}"# else {
        throw StageError("a ping got \(got ?? "nothing")\n\(log)")
      }
    }
  }
}
