import BatonCore
import Logging
import Testing

@testable import BatonServer

/// A connection over a transport that the test plays: how it writes, waits, reads and ends.
@Suite struct TransportTests {
  private final class Fake: Transport {
    let peer = "fake"
    private(set) var isClosing = false
    private(set) var isWriting = false
    let isReady = true
    private(set) var isReading = false
    private(set) var hasEnded = false
    private(set) var text = ""
    /// The bytes of each `take`.
    private(set) var takes: [Int] = []
    let mostAtOnce = 288 << 10
    private var pending = 0
    private var connection: (any TransportOwner)?
    /// How many bytes `take` takes in total.
    var room = Int.max
    var error: TransportError?

    func attach(_ owner: any TransportOwner) { connection = owner }
    func handOver(to owner: any TransportOwner) { connection = owner }

    func take(_ unsent: borrowing Unsent) throws(TransportError) -> Int {
      if let error { throw error }
      let bytes = Array(unsent.pieces.joined())
      let taken = min(room, bytes.count)
      room -= taken
      takes.append(taken)
      isWriting = taken < bytes.count
      pending = min(3, bytes.count - taken)
      text += String(decoding: bytes[..<(taken + pending)], as: UTF8.self)
      return taken
    }

    func endWriting() throws(TransportError) { hasEnded = true }
    func setReading(_ isWanted: Bool) throws(TransportError) { isReading = isWanted }

    func close() { isClosing = true }

    // What the other end does

    func says(_ line: String) { Array((line + "\n").utf8).withUnsafeBytes { connection?.received($0) } }
    func shutsDown() { connection?.ended() }

    func takesTheRest() {
      isWriting = false
      connection?.wrote(pending)
    }

    func isGone() {
      connection?.closed()
      connection = nil
    }
  }

  /// A file that says nothing.
  private final class EmptyFile: OperatorsFile {
    func reading(of text: [UInt8]?) -> @Sendable () -> ReloadedFile { { ReloadedFile() } }
    func take(_ content: ReloadedFile) -> ReloadNews { .read(content) }
  }

  private func server(hasCredits: Bool = true) throws -> Server {
    var settings = Settings()
    settings.pieces.areLimited = hasCredits
    settings.version = "test"
    return try Server(settings: settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Ends the server's loop, so that nothing of it is left.
  private func end(_ server: Server, _ fakes: Fake...) {
    server.abort()
    for fake in fakes { fake.isGone() }
    _ = server.run()
  }

  @Test func writesWhatATurnBroughtInOnePiece() throws {
    let server = try server()
    let fake = Fake()
    server.welcome(fake)
    server.turn()
    #expect(fake.isReading && fake.text.isEmpty)
    fake.says(#"{"op":"ping","id":1}"#)
    fake.says(#"{"op":"ping","id":2}"#)
    #expect(fake.text.isEmpty, "nothing is written before the turn ends")
    server.turn()
    #expect(fake.text == #"{"op":"pong","id":1}"# + "\n" + #"{"op":"pong","id":2}"# + "\n")
    end(server, fake)
  }

  @Test func waitsForATransportThatIsFull() throws {
    let server = try server()
    let fake = Fake()
    fake.room = 5
    server.welcome(fake)
    fake.says(#"{"op":"ping"}"#)
    server.turn()
    #expect(fake.isWriting && fake.text == #"{"op":"p"#)
    fake.says(#"{"op":"ping","id":7}"#)
    server.turn()
    #expect(!fake.text.contains("7"), "one write at a time")
    fake.room = .max
    fake.takesTheRest()
    server.turn()
    #expect(fake.text.hasSuffix(#"{"op":"pong","id":7}"# + "\n"))
    end(server, fake)
  }

  /// A quarter of a megabyte goes out at once; the rest follows in the next turn, unless it is small.
  @Test(arguments: [(1900, true), (2100, false)])
  func muchGoesOutInPieces(_ count: Int, isWhole: Bool) throws {
    let server = try server(hasCredits: false)
    let fake = Fake()
    fake.room = 0
    server.welcome(fake)
    fake.says(#"{"op":"ping"}"#)
    server.turn()
    let id = String(repeating: "x", count: 121)
    for _ in 0..<count { fake.says(#"{"op":"ping","id":"\#(id)"}"#) }
    fake.room = .max
    fake.takesTheRest()
    server.turn()
    let size = #"{"op":"pong","id":"\#(id)"}"#.utf8.count + 1
    // Of the first pong, three bytes were with the transport.
    let all = count * size + #"{"op":"pong"}"#.utf8.count + 1 - 3
    #expect(fake.takes.last == (isWhole ? all : 256 << 10))
    while server.isAwake { server.turn() }
    #expect(fake.takes.reduce(0, +) == all, "\(fake.takes)")
    end(server, fake)
  }

  @Test func endsOnceAllIsWritten() throws {
    let server = try server()
    let fake = Fake()
    server.welcome(fake)
    fake.says("GET / HTTP/1.1")
    fake.room = 0
    server.turn()
    #expect(fake.isWriting && !fake.hasEnded)
    fake.room = .max
    fake.takesTheRest()
    server.turn()
    #expect(fake.hasEnded && !fake.isClosing && fake.text.contains("not_json_lines"))
    fake.shutsDown()
    server.turn()
    #expect(fake.isClosing)
    end(server, fake)
  }

  @Test func anErrorClosesThatConnectionAlone() throws {
    let server = try server()
    let (bad, good) = (Fake(), Fake())
    server.welcome(bad)
    server.welcome(good)
    bad.error = TransportError(description: "broken")
    for fake in [bad, good] { fake.says(#"{"op":"ping"}"#) }
    server.turn()
    #expect(bad.isClosing && !good.isClosing && good.text == #"{"op":"pong"}"# + "\n")
    end(server, bad, good)
  }

  /// Who loses something by a reload is found in pieces. A server that slept between them would take it away later.
  @Test func staysAwakeUntilAReloadIsCarriedOut() throws {
    let server = try server()
    server.file = EmptyFile()
    let fakes = (0..<6000).map { _ in Fake() }
    for fake in fakes { server.welcome(fake) }
    server.turn()
    fakes[0].says(#"{"op":"reload"}"#)
    server.turn()
    // The file is read on another thread.
    while server.reloads.isReading { server.loop.runOnce() }
    var turns = 0
    repeat {
      server.turn()
      turns += 1
    } while server.isAwake
    #expect(fakes[0].text.hasPrefix(#"{"op":"ok""#) && turns > 1)
    server.abort()
    for fake in fakes { fake.isGone() }
    _ = server.run()
  }
}
