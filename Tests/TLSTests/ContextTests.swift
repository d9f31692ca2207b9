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
}
