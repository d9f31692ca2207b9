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

  @Test func theEndOfTheOwnCertificateIsKnown() throws {
    #expect(try TLSContext(.server, .server()).expires == 2_524_607_999)
    #expect(try TLSContext(.server, .server("expired")).expires == 1_577_923_200)
    #expect(try TLSContext(.client, .client()).expires == nil)
  }
}
