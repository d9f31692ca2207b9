import Foundation
import ProgramKit
import Testing

@testable import TLS

/// Files that are not right are told before anybody connects.
@Suite struct ContextTests {
  private let made: Certificates

  init() throws { made = try Certificates.shared() }

  @Test func filesThatAreNotRight() throws {
    let (certificate, key) = (made.path("client.pem"), made.path("client.key"))
    let cases: [(TLSContext.Side, String?, String?, String?, String)] = [
      (.client, "/nowhere", key, nil, "cannot read the certificate /nowhere: No such file or directory"),
      (.client, key, key, nil, "cannot read the certificate"), (.client, certificate, "/nowhere", nil, "No such file"),
      (.client, certificate, made.path("server.key"), nil, "key values mismatch"),
      (.client, certificate, made.path("locked.key"), nil, "without a passphrase"),
      (.client, nil, nil, "/nowhere", "cannot read the authorities /nowhere: No such file or directory"),
      (.client, nil, nil, "", "cannot read the authorities"), (.client, nil, nil, "/", "cannot read the authorities"),
      (.client, nil, nil, key, "no certificate or crl found"), (.server, nil, nil, nil, "a server needs a certificate"),
      (.server, certificate, nil, nil, "needs its private key"),
    ]
    for (side, certificate, key, authorities, words) in cases {
      var files = TLSContext.Files()
      (files.certificate, files.key, files.authorities) = (certificate, key, authorities)
      let error = #expect(throws: TLSError.self) { try TLSContext(side, files) }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
  }

  @Test func pinsAreSpelledInBase64() throws {
    let digest = (0..<32).map { UInt8($0 * 7 + 3) }
    let text = Data(digest).base64EncodedString()
    #expect(TLSContext.Files.digest(ofPin: text) == digest)
    let inside = String(text.prefix(5))
    for wrong in [
      "", "=", text + "\n", "\n" + text, " " + text.dropFirst(), String(text.dropLast()), "sha256/" + text,
      text.replacingOccurrences(of: inside, with: "====="), text.replacingOccurrences(of: inside, with: "a\nb c"),
      text.replacingOccurrences(of: inside, with: "abc-_"), text.dropLast() + "A", String(repeating: "é", count: 22),
      Data(digest.dropLast()).base64EncodedString(), Data(digest + [1]).base64EncodedString(),
    ] {
      #expect(TLSContext.Files.digest(ofPin: wrong) == nil, "\(wrong)")
    }
  }

  @Test func theEndOfTheOwnCertificateIsKnown() throws {
    #expect(try TLSContext(.server, .server()).expires == 2_524_607_999)
    #expect(try TLSContext(.server, .server("expired")).expires == 1_577_923_200)
    #expect(try TLSContext(.client, .client()).expires == nil)
  }

  @Test func whatPeersWillNotTakeIsKnown() throws {
    func doubts(_ name: String, clients: String? = nil, at now: Int? = nil) throws -> [String] {
      let context = try TLSContext(.server, .server(name, clients: clients))
      let doubts = context.doubts(at: now ?? Int(Date().timeIntervalSince1970))
      return doubts.certificate + doubts.authorities
    }
    #expect(try doubts("server", clients: "authority") == [])
    // 2049-01-01
    let begin = 2_493_072_000
    let early = try doubts("early", at: begin - 3601)
    #expect(early.count == 1 && early[0].contains("it begins in 2 hours"), "\(early)")
    #expect(try doubts("early", at: begin) == [])
    let mail = try doubts("mail")
    #expect(mail.count == 1 && mail[0].contains("it is not made for servers"), "\(mail)")
    let nameless = try TLSContext(.server, .nameless()).doubts(at: Int(Date().timeIntervalSince1970)).certificate
    #expect(nameless.last?.contains("it names no host (subjectAltName)") == true, "\(nameless)")
    let ended = try doubts("server", clients: "expired")
    #expect(ended == ["1 of 1 certificates of tls.clients has ended: no client certificate of it counts"])
  }
}
