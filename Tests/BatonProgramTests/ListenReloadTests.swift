import Foundation
import ProgramKit
import Testing

/// `baton reload`, where the file says other places to listen at.
@Suite struct ListenReloadTests {
  /// A server with a file, and its first place: a Unix socket, by which it is told to reload.
  private final class Listening {
    let file = freshPath() + ".yaml"
    let socket = freshPath()
    let program: Program
    let places: [String]

    init(_ others: String = "", _ more: String = "", options: [String] = []) throws {
      try Listening.text(socket, others, more).write(toFile: file, atomically: false, encoding: .utf8)
      program = try Program(["serve", "--config", file] + options, errors: .intoLog)
      places = program.places()
    }

    deinit {
      program.send(SIGTERM)
      unlink(file)
    }

    private static func text(_ socket: String, _ others: String, _ more: String) -> String {
      "listen:\n  - unix:\(socket)\n\(others.isEmpty ? "" : "  - \(others)\n")\(more)"
        + (more.contains("peers:") ? "" : "open: local\n")
    }

    /// Says other places beside the first, and reloads. Returns what `baton reload` prints, and its exit code.
    func reload(_ others: String = "", _ more: String = "") throws -> (lines: [String], code: Int32) {
      try reload(text: Listening.text(socket, others, more))
    }

    func reload(text: String) throws -> (lines: [String], code: Int32) {
      try text.write(toFile: file, atomically: false, encoding: .utf8)
      let program = try Program(["reload", "--server", "unix:\(socket)"])
      let lines = program.remainingLines() + program.remainingErrorLines()
      return (lines.filter { !$0.hasPrefix("warning\t") }, program.wait())
    }
  }

  private static let ping = #"{"op":"ping"}"#
  private static let pong = #"{"op":"pong"}"#
  /// Everybody may do everything, also from other machines.
  private static let open = "peers: { anonymous: { may: [everything] } }\n"

  private func answers(_ place: String) -> Bool {
    (try? Peer(place)).flatMap { $0.ask(Self.ping) } == Self.pong
  }

  @Test func placesComeAndGoAndConnectionsStay() throws {
    let server = try Listening("tcp:127.0.0.1:0")
    let tcp = server.places[1]
    let old = try Peer(tcp)
    #expect(old.ask(Self.ping) == Self.pong)
    let other = freshPath()
    #expect(try server.reload("unix:\(other)") == (["changed\tlisten"], 0))
    #expect(answers("unix \(other)"))
    #expect(old.ask(Self.ping) == Self.pong)
    #expect(throws: POSIXError.self) { try Peer(tcp) }
    // A place that went away takes its file with it.
    #expect(try server.reload() == (["changed\tlisten"], 0))
    #expect(!FileManager.default.fileExists(atPath: other))
    #expect(old.ask(Self.ping) == Self.pong)
    #expect(try server.reload() == ([], 0))
    server.program.send(SIGTERM)
    #expect(server.program.wait() == 0)
    #expect(!FileManager.default.fileExists(atPath: server.socket))
  }

  @Test func oneThatFailsChangesNothing() throws {
    let rival = try RunningServer()
    let server = try Listening()
    let other = freshPath()
    let entry = "{ unix: \(other), mode: '0660' }\n  - tcp:127.0.0.1:\(rival.port)"
    let refused = try server.reload(entry, "settings: { max_links: 9 }\n")
    #expect(refused.code == 1)
    #expect(refused.lines.first?.hasPrefix("4:5: port \(rival.port) on 127.0.0.1 is in use") == true, "\(refused)")
    #if os(Linux)
      #expect(refused.lines.first?.contains("by baton (process \(rival.program.number))") == true, "\(refused)")
    #endif
    #expect(!FileManager.default.fileExists(atPath: other))
    #expect(answers("unix \(server.socket)"))
    // Once the port is free, the same file is carried out.
    #expect(rival.end() == 0)
    #expect(try server.reload(entry) == (["changed\tlisten"], 0))
    #expect(answers("unix \(other)"))
    #expect(answers(rival.place))
  }

  @Test func aSocketsFileThatWasRemovedIsMadeAgain() throws {
    let server = try Listening("tcp:127.0.0.1:0")
    let tcp = server.places[1].dropFirst("tcp ".count)
    let old = try Peer("unix \(server.socket)")
    unlink(server.socket)
    #expect(!answers("unix \(server.socket)"))
    let reload = try Program(["reload", "--server", String(tcp)])
    #expect(reload.remainingErrorLines() == [])
    #expect(reload.wait() == 0)
    #expect(answers("unix \(server.socket)"))
    #expect(old.ask(Self.ping) == Self.pong)
    // Another reload leaves it as it is.
    var (before, after) = (stat(), stat())
    #expect(lstat(server.socket, &before) == 0)
    #expect(try server.reload("tcp:127.0.0.1:0") == ([], 0))
    #expect(lstat(server.socket, &after) == 0)
    #expect(after.st_ino == before.st_ino)
    server.program.send(SIGTERM)
    #expect(server.program.wait() == 0)
    #expect(!FileManager.default.fileExists(atPath: server.socket))
    #expect(server.program.log.contains("somebody removed the socket's file"))
  }

  /// A dead server's socket makes room, and what is something else stays and is told.
  @Test func aSocketsFileThatWasReplacedIsNoPlace() throws {
    let server = try Listening("tcp:127.0.0.1:0")
    let tcp = server.places[1].dropFirst("tcp ".count)
    unlink(server.socket)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: server.socket))
    #expect(try Program(["reload", "--server", String(tcp)]).wait() == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: server.socket)) == Data("mine".utf8))
    unlink(server.socket)
    try RunningServer(at: ["unix:\(server.socket)"]).kill()
    #expect(try Program(["reload", "--server", String(tcp)]).wait() == 0)
    #expect(answers("unix \(server.socket)"))
    server.program.send(SIGTERM)
    #expect(server.program.wait() == 0)
    #expect(server.program.log.contains("nobody can connect there, for somebody removed the socket's file"))
  }

  /// A reload that takes a right away must not fail because of it.
  @Test func aSocketThatCannotBeMadeAgainRefusesNothing() throws {
    let folder = freshPath()
    #expect(mkdir(folder, 0o700) == 0)
    let server = try Listening("unix:\(folder)/a")
    unlink("\(folder)/a")
    #expect(rmdir(folder) == 0)
    #expect(
      try server.reload("unix:\(folder)/a", "settings: { max_links: 9 }\n") == (["changed\tsettings.max_links"], 0))
    #expect(mkdir(folder, 0o700) == 0)
    #expect(try server.reload("unix:\(folder)/a", "settings: { max_links: 9 }\n") == ([], 0))
    #expect(answers("unix \(folder)/a"))
    #expect(try server.reload() == (["changed\tlisten", "changed\tsettings.max_links"], 0))
    #expect(rmdir(folder) == 0)
    server.program.send(SIGTERM)
    #expect(server.program.wait() == 0)
    #expect(server.program.log.contains("nobody can connect there, for somebody removed the socket's file"))
  }

  @Test func aSocketsModeChangesInItsPlace() throws {
    let server = try Listening()
    let peer = try Peer("unix \(server.socket)")
    var before = stat()
    var after = stat()
    #expect(lstat(server.socket, &before) == 0)
    let text = "listen: [{ unix: \(server.socket), mode: '0666' }]\nopen: local\n"
    #expect(try server.reload(text: text) == (["changed\tlisten"], 0))
    #expect(lstat(server.socket, &after) == 0)
    #expect(after.st_mode & 0o777 == 0o666)
    #expect(after.st_ino == before.st_ino)
    #expect(peer.ask(Self.ping) == Self.pong)
    #expect(try server.reload() == (["changed\tlisten"], 0))
    #expect(lstat(server.socket, &after) == 0)
    #expect(after.st_mode & 0o777 == 0o600)
  }

  /// The addresses overlap: only one socket could have the port otherwise.
  @Test func aPortStaysWhenTheAddressChanges() throws {
    let server = try Listening("tcp:127.0.0.1:0", Self.open)
    let tcp = server.places[1]
    let port = String(tcp.split(separator: ":").last ?? "")
    let old = try Peer(tcp)
    #expect(try server.reload("tcp:0.0.0.0:\(port)", Self.open) == (["changed\tlisten"], 0))
    #expect(answers(tcp))
    #expect(old.ask(Self.ping) == Self.pong)
    // The port is shared with nobody else.
    let rival = try Program(["serve", "--port", port])
    #expect(rival.remainingErrorLines().first?.contains("port \(port) on 127.0.0.1 is in use") == true)
    #expect(try server.reload("tcp:127.0.0.1:\(port)", Self.open) == (["changed\tlisten"], 0))
    #expect(answers(tcp))
    #expect(old.ask(Self.ping) == Self.pong)
  }

  /// Who came before speaks on as it did.
  @Test func aPlaceIsEncryptedFromNowOn() throws {
    let made = try Certificates.shared()
    let tls = "tls: { certificate: \(made.path("server.pem")), key: \(made.path("server.key")) }\n"
    let server = try Listening("tcp:127.0.0.1:0", tls)
    let plain = try Peer(server.places[1])
    let port = String(server.places[1].split(separator: ":").last ?? "")
    #expect(try server.reload("tls:127.0.0.1:0", tls) == (["changed\tlisten"], 0))
    let place = "tls:localhost:\(port)"
    let client = try Program(["healthcheck", "--server", place, "--tls-ca", made.path("authority.pem")])
    #expect(client.wait() == 0)
    #expect(plain.ask(Self.ping) == Self.pong)
    #expect(try server.reload("tcp:127.0.0.1:0", tls) == (["changed\tlisten"], 0))
    #expect(answers(server.places[1]))
    // A certificate that is missing changes nothing.
    let refused = try server.reload("tls:127.0.0.1:0")
    #expect(refused.code == 1)
    #expect(refused.lines.first?.hasPrefix("3:5: tls:127.0.0.1:0 needs a certificate") == true, "\(refused)")
    #expect(answers(server.places[1]))
  }

  @Test func optionsWin() throws {
    let server = try Listening("tcp:127.0.0.1:0")
    let other = freshPath()
    let option = freshPath()
    let bound = try Program(["serve", "--config", server.file, "--listen", "unix:\(option)"])
    #expect(bound.places() == ["unix \(option)"])
    try "listen: ['unix:\(other)']\nopen: local\n".write(toFile: server.file, atomically: false, encoding: .utf8)
    let reload = try Program(["reload", "--server", "unix:\(option)"])
    #expect(reload.remainingLines() == [])
    #expect(reload.wait() == 0)
    #expect(!FileManager.default.fileExists(atPath: other))
    bound.send(SIGTERM)
    #expect(bound.wait() == 0)
  }

  @Test func otherMachinesNeedToBeKnown() throws {
    let server = try Listening()
    let refused = try server.reload("tcp:0.0.0.0:0")
    #expect(refused.code == 1)
    #expect(refused.lines.first?.hasPrefix("3:5: tcp:0.0.0.0:0: other machines could reach the server") == true)
    // The file makes somebody else of whoever asks for it.
    #expect(try server.reload("tcp:0.0.0.0:0", Self.open).code == 3)
    // Both at once: the place stays, and who may do what goes.
    let second = try server.reload("tcp:0.0.0.0:0")
    #expect(second.code == 1, "\(second)")
  }
}
