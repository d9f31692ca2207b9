import Foundation
import ProgramKit
import Testing

/// The program as a tool of a server at `tls:HOST:PORT`.
@Suite struct EncryptionTests {
  private let made: Certificates
  private let server: RunningServer
  private let token: String
  /// The server, for clients that look for a certificate's name.
  private let place: String

  init() throws {
    made = try Certificates.shared()
    let maker = try Program(["token", "web"])
    let lines = maker.remainingLines() + maker.remainingErrorLines()
    token = try #require(lines.first { $0.hasPrefix("baton_") })
    let digest = try #require(lines.first { $0.contains("sha256:") }).drop { $0 != "s" }
    let file = try made.serverFile(
      """
      peers:
        web: { token: \(digest), may: [send to main, serve main] }
        ann: { certificate: "dns:web.example", may: [everything] }
      """, clients: true)
    defer { unlink(file) }
    server = try RunningServer(["--config", file], at: ["tls:127.0.0.1:0"])
    place = "tls:localhost:\(server.port)"
  }

  private var authority: [String] { ["--tls-ca", made.path("authority.pem")] }
  private var certificate: [String] {
    authority + ["--tls-certificate", made.path("client.pem"), "--tls-key", made.path("client.key")]
  }

  private func run(_ arguments: [String], _ environment: [String] = []) throws -> Program {
    try Program(arguments, environment: environment + ["BATON_SERVER=\(place)"])
  }

  @Test func aMessageGoesToAHandlerAndBack() throws {
    let script = #"echo "$BATON_TOKEN,$BATON_TOKEN_FILE,$BATON_SERVER,$BATON_TLS_CA,$BATON_FROM""#
    let environment = ["BATON_TOKEN=\(token)"]
    let handler = try run(["handle", ">", "--name", "h"] + authority + ["--", "sh", "-c", script], environment)
    #expect(handler.errorLine() == "baton: connected to tls localhost:\(server.port)")
    let sender = try run(["send", "t"] + authority, environment)
    #expect(sender.remainingLines() == [#"",,\#(place),\#(made.path("authority.pem")),web.cli""#])
    #expect(sender.wait() == 0)
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
    #expect(server.end() == 0)
    let log = server.program.remainingErrorLines()
    #expect(!log.contains { $0.contains("encryption failed") }, "\(log)")
  }

  @Test func theCertificateSaysWhoTheProgramIs() throws {
    #expect(try run(["whoami"] + certificate).remainingLines() == ["ann", "everything"])
    let pins = try ["--tls-pin", made.pin("other"), "--tls-pin", made.pin("server")]
    #expect(try run(["whoami"] + certificate + pins).remainingLines() == ["ann", "everything"])
  }

  @Test func theAuthoritiesMayStandInAVariable() throws {
    let right = "BATON_TLS_CA=\(made.path("authority.pem"))"
    #expect(try run(["whoami"], ["BATON_TOKEN=\(token)", right]).line() == "web")
    #expect(try run(["whoami"] + certificate, ["BATON_TLS_CA=/nowhere"]).line() == "ann")
    let wrong = try run(["whoami"], ["BATON_TLS_CA=/nowhere"])
    #expect(wrong.errorLine()?.hasPrefix("baton: cannot read the authorities /nowhere") == true)
    // A place that is not encrypted needs none.
    let plain = try RunningServer()
    let program = try Program(["whoami", "--server", plain.address], environment: [right])
    #expect(program.wait() == 0)
  }

  @Test func whatIsWrongWithTheServerIsSaidWithWhatHelps() throws {
    let other = try ["--tls-pin", made.pin("other")]
    let lines = try FakeServer()
    let blunt = try FakeServer()
    for (place, options, words) in [
      (place, [], "name the file of its authority with ca (--tls-ca)"),
      (place, ["--tls-ca", made.path("other.pem")], "the server's certificate does not count: "),
      (place, authority + other, "none of those that are pinned; if its operator has changed the key, pin the new one"),
      ("tls:\(lines.place)", authority, "does not speak TLS: leave tls: out"),
      ("tls:\(blunt.place)", authority, "no server can be reached at tls:\(blunt.place): the server has closed the"),
    ] {
      let program = try Program(["send", "t", "--server", place] + options)
      if place.hasSuffix(lines.place) { lines.take().say(#"{"op":"error","code":"not_json_lines","message":"…"}"#) }
      if place.hasSuffix(blunt.place) { blunt.take().end() }
      let line = try #require(program.errorLine())
      #expect(line.contains(words), "\(line)")
      #expect(program.wait() == 3)
    }
    let unreadable = try Program(["send", "t", "--server", "127.0.0.1:\(server.port)"])
    #expect(unreadable.errorLine()?.contains("this port speaks TLS") == true)
    #expect(unreadable.wait() == 1)
  }

  @Test func whatIsWrongWithTheOptionsIsSaidBeforeConnecting() throws {
    let pin = try made.pin("server")
    for (place, options, words) in [
      ("tls:192.0.2.1:1", ["--tls-ca", "/nowhere"], "cannot read the authorities /nowhere: No such file or directory"),
      (
        "tls:192.0.2.1:1", ["--tls-key", "k"],
        "the private key k needs its certificate: certificate (--tls-certificate)"
      ),
      ("tls:192.0.2.1:1", ["--tls-certificate", "c"], "the certificate c needs its private key: key (--tls-key)"),
      ("tls:192.0.2.1:1", ["--tls-pin", "x"], "is no pin"),
      ("tls:192.0.2.1:1", ["--tls-pin", pin, "--tls-pin", pin, "--tls-pin", pin], "3 public keys are pinned"),
      ("192.0.2.1:1", authority, "192.0.2.1:1 is not encrypted"), ("tls:22867", [], "tls:HOST:PORT"),
      ("tls:unix:/a", [], "is not a place"),
    ] {
      for command in [["send", "t"], ["handle", ">", "--name", "h", "--continue"]] {
        let program = try Program(command + ["--server", place] + options)
        let line = try #require(program.errorLine())
        #expect(line.hasPrefix("baton: ") && line.contains(words), "\(line)")
        #expect(program.wait() == 64)
      }
    }
  }

  @Test func theDoctorTellsOfTheCertificate() throws {
    let well = try run(["doctor"] + certificate)
    let line = well.remainingLines().first { $0.contains("\tcertificate\t") }
    #expect(line?.wholeMatch(of: /ok\tcertificate\t\tthe server's certificate is good for [0-9]+ more days\t/) != nil)
    #expect(well.wait() == 0)
    let ill = try run(["doctor"])
    let finding = try #require(ill.line()?.split(separator: "\t", omittingEmptySubsequences: false))
    #expect(finding[..<3] == ["wrong", "encryption", ""])
    #expect(finding[3].hasPrefix("\(place): the server's certificate does not count: "))
    #expect(finding[4] == "name the file of its authority with ca (--tls-ca)")
    #expect(ill.wait() == 3)
    let health = try run(["healthcheck"] + certificate)
    #expect(health.wait() == 0)
  }

  /// Who cuts the wire must not pass for a server that has said all.
  @Test func aCutIsALoss() throws {
    let environment = ["BATON_TOKEN=\(token)"]
    let handler = try run(
      ["handle", ">", "--name", "h"] + authority + ["--", "sh", "-c", "kill -9 \(server.program.number)"], environment)
    #expect(handler.errorLine()?.hasPrefix("baton: connected") == true)
    let sender = try run(["send", "t"] + authority, environment)
    let line = try #require(sender.errorLine())
    #expect(line.hasPrefix("baton: the connection was lost before the answer came: the connection was cut"), "\(line)")
    #expect(sender.wait() == 3)
    handler.send(SIGTERM)
    handler.send(SIGTERM)
    _ = handler.wait()
  }
}
