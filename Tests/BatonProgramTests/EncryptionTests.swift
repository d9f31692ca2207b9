import Foundation
import ProgramKit
import Testing

/// How the program speaks TLS, and what it says when that goes wrong. `Tests/Encryption` has what is about bytes.
@Suite struct EncryptionTests {
  private let folder = freshPath()
  private let server: RunningServer
  private var place: String { "tls:localhost:\(server.port)" }

  /// An authority with certificates for a server and a client, another authority, and a server that knows `web` by its
  /// certificate and lets all others send.
  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let make = try Program(
      shell: """
        cd '\(folder)' && exec 2>make.log && key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
        for name in ca other; do
          openssl req -x509 $key -days 2 -subj /CN=$name -keyout $name.key -out $name.pem
        done
        make() {
          openssl req $key -subj /CN=$1 -addext subjectAltName=$2 -keyout $1.key -out $1.csr
          openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -copy_extensions copy -out $1.pem
        }
        make server DNS:localhost && make client DNS:web.example
        cat > baton.yaml <<'END'
        tls: { certificate: server.pem, key: server.key, clients: ca.pem }
        peers:
          web: { certificate: 'dns:web.example', may: [everything] }
          anonymous: { may: [send to main] }
        END
        openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
        """)
    pin = try #require(make.remainingLines().last)
    server = try RunningServer(["--config", folder + "/baton.yaml"], at: ["tls:127.0.0.1:0"])
  }

  private let pin: String

  private func run(_ arguments: String..., ca: String? = "ca.pem", at place: String? = nil) throws -> Program {
    try Program(
      arguments + ["--server", place ?? self.place] + (ca.map { ["--tls-ca", "\(folder)/\($0)"] } ?? []),
      environment: ["SSL_CERT_FILE=/dev/null", "SSL_CERT_DIR=/dev/null"])
  }

  private func clean() { try? FileManager.default.removeItem(atPath: folder) }

  @Test func aCertificateSaysWhoOneIs() throws {
    defer { clean() }
    let known = ["--tls-certificate", "\(folder)/client.pem", "--tls-key", "\(folder)/client.key"]
    let whoami = try Program(["whoami", "--server", place, "--tls-ca", "\(folder)/ca.pem"] + known)
    #expect(whoami.remainingLines() == ["web", "everything"])
    #expect(try run("whoami").remainingLines() == ["anonymous", "send to main"])
    let reload = try Program(["reload", "--server", place, "--tls-ca", "\(folder)/ca.pem", "--json"] + known)
    #expect(reload.line()?.hasSuffix(#""changed":[],"restart":[]}"#) == true)
    let yaml = try String(contentsOfFile: folder + "/baton.yaml", encoding: .utf8)
    try yaml.replacing("[send to main]", with: "[send too main]").write(
      toFile: folder + "/baton.yaml", atomically: false, encoding: .utf8)
    let refused = try Program(["reload", "--server", place, "--tls-ca", "\(folder)/ca.pem"] + known)
    #expect(refused.errorLine()?.contains("the server's file has mistakes") == true)
    let mistake = refused.errorLine()
    #expect(mistake?.wholeMatch(of: /4:\d+: .*/) != nil, "\(mistake ?? "")")
    #expect(refused.wait() == 1)
  }

  /// A long message and a long answer, in many records.
  @Test func longPayloadsPass() throws {
    defer { clean() }
    let known = ["--tls-certificate", "\(folder)/client.pem", "--tls-key", "\(folder)/client.key"]
    let handler = try Program(
      ["handle", ">", "--name", "h", "--server", place, "--tls-ca", "\(folder)/ca.pem"] + known + ["--", "cat"])
    #expect(handler.errorLine() == "baton: connected to tls localhost:\(server.port)")
    let payload = "\"" + String(repeating: "abcdefghij", count: 100_000) + "\""
    try payload.write(toFile: folder + "/payload.json", atomically: false, encoding: .utf8)
    for _ in 1...3 { #expect(try run("send", "t", "@\(folder)/payload.json").line() == payload) }
    withExtendedLifetime(handler) {}
  }

  /// What is wrong, and what helps.
  @Test func whatIsWrongIsSaid() throws {
    defer { clean() }
    func line(_ program: Program, code: Int32) -> String {
      let line = program.errorLine() ?? ""
      #expect(program.wait() == code, "\(line)")
      return line
    }
    #expect(line(try run("whoami", ca: "other.pem"), code: 3).contains("does not count"))
    #expect(line(try run("whoami", ca: nil), code: 3).contains("name the file of its authority with ca (--tls-ca)"))
    let byNumber = "tls:127.0.0.1:\(server.port)"
    #expect(line(try run("whoami", at: byNumber), code: 3).contains("connect to a name or an address that"))
    #expect(line(try run("whoami", ca: "none.pem"), code: 64).contains("cannot read the authorities"))
    #expect(line(try run("whoami", at: "localhost:\(server.port)"), code: 64).contains("write tls:HOST:PORT"))
    let key = try run("whoami", "--tls-key", "\(folder)/client.key")
    #expect(line(key, code: 64).contains("needs its certificate"))
    let foreign = try run(
      "whoami", "--tls-certificate", "\(folder)/client.pem", "--tls-key", "\(folder)/server.key")
    #expect(line(foreign, code: 64).contains("cannot use the private key"))
    let plain = try RunningServer()
    #expect(line(try run("whoami", at: "tls:localhost:\(plain.port)"), code: 3).contains("does not speak TLS"))
  }

  @Test func aPinnedKeyHasToBeThere() throws {
    defer { clean() }
    let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    #expect(try run("whoami", "--tls-pin", pin).line() == "anonymous")
    #expect(try run("whoami", "--tls-pin", other, "--tls-pin", pin).line() == "anonymous")
    for (pins, code, words) in [
      ([other], 3, "none of those that are pinned"), (["AAAA"], 64, "is no pin"),
      ([other, pin, other], 64, "2 are the most"),
    ] {
      let program = try Program(
        ["whoami", "--server", place, "--tls-ca", "\(folder)/ca.pem"] + pins.flatMap { ["--tls-pin", $0] })
      #expect(program.errorLine()?.contains(words) == true)
      #expect(program.wait() == Int32(code))
    }
  }

  /// The server takes no client without a certificate. TLS 1.3 tells that after the handshake.
  @Test func aServerMayRequireACertificate() throws {
    defer { clean() }
    let strict = try RunningServer(
      ["--config", folder + "/baton.yaml", "--tls-require-clients"], at: ["tls:127.0.0.1:0"])
    let program = try run("whoami", at: "tls:localhost:\(strict.port)")
    #expect(program.errorLine()?.contains("give a client certificate") == true)
    #expect(program.wait() == 3)
  }

}
