import COpenSSL
import Testing

@testable import TLS

/// Who gets through a handshake, and what the others are told.
@Suite struct HandshakeTests {
  @Test(arguments: [1, 2, 7, 1000])
  func itMayComeInPieces(grain: Int) throws {
    for host in ["localhost", "127.0.0.1"] {
      let pair = try Pair(host: host)
      #expect(pair.shakeHands(grain: grain) == (.done, .done))
      #expect(String(cString: SSL_get_version(pair.client.session)) == "TLSv1.3")
    }
  }

  @Test func aWireThatIsCutAnywhereIsNoHandshake() throws {
    let pair = try Pair()
    _ = pair.client.shakeHands()
    let hello = pair.client.takeOutgoing()
    for count in hello.indices {
      let server = try TLSSession(TLSContext(.server, .server()))
      server.feed(Array(hello[..<count]))
      #expect(server.shakeHands() == .waits)
      #expect(server.takeOutgoing().isEmpty && !server.isEstablished)
    }
  }

  @Test func whoIsNotTheServerIsTold() throws {
    for (server, authority, host, words) in [
      ("server", "other", "localhost", "issuer certificate"), ("server", nil, "localhost", "certificate"),
      ("named", "authority", "localhost", "hostname mismatch"),
      ("named", "authority", "127.0.0.1", "IP address mismatch"),
      ("server", "authority", "localhost.example", "hostname mismatch"),
      ("expired", "authority", "localhost", "certificate has expired"),
    ] {
      let pair = try Pair(server: .server(server), client: .client(authority: authority), host: host)
      let ends = pair.shakeHands()
      #expect(ends.client.fault.hasPrefix("the server's certificate does not count: "), "\(ends)")
      #expect(ends.client.fault.contains(words), "\(ends)")
      #expect(ends.server.fault.hasPrefix("TLS failed: ") && ends.server.fault.contains("alert"), "\(ends)")
      #expect(!pair.client.isEstablished && !pair.server.isEstablished)
    }
  }

  @Test func namesAndAddressesOfTheCertificateCount() throws {
    for host in ["baton.example", "BATON.example", "192.0.2.1"] {
      #expect(try Pair(server: .server("named"), host: host).shakeHands() == (.done, .done))
    }
    #expect(throws: TLSError.self) { try TLSSession(TLSContext(.client, .client())) }
  }

  @Test func thePinnedKeyIsOneOfTheServersBesideAllOtherChecks() throws {
    for pins in [["server"], ["other", "server"]] {
      #expect(try Pair(client: .client(pins: pins)).shakeHands() == (.done, .done))
    }
    let wrong = try Pair(client: .client(authority: "other", pins: ["server"]))
    #expect(wrong.shakeHands().client.fault.contains("does not count"))
  }

  @Test func whoHasAnotherKeyLearnsNothing() throws {
    let pair = try Pair(
      server: .server(clients: "authority", isRequired: true), client: .client("client", pins: ["other"]))
    _ = pair.client.shakeHands()
    pair.server.feed(pair.client.takeOutgoing())
    #expect(pair.server.shakeHands() == .waits)
    pair.client.feed(pair.server.takeOutgoing())
    #expect(pair.client.shakeHands().fault == "the server's public key is none of those that are pinned")
    // The client's certificate, for instance.
    #expect(pair.client.takeOutgoing().isEmpty)
    #expect(!pair.client.isEstablished)
  }

  @Test func theServerSeesTheNamesOfTheClient() throws {
    let pair = try Pair(server: .server(clients: "authority"), client: .client("client"))
    #expect(pair.shakeHands() == (.done, .done))
    #expect(pair.server.peerNames == ["dns:web.example"])
    // 2049-12-31, and nothing of a client without a certificate.
    #expect(pair.client.peerExpires == 2_524_607_999)
    let nameless = try Pair(server: .server(clients: "authority"))
    #expect(nameless.shakeHands() == (.done, .done))
    #expect(nameless.server.peerNames == [] && nameless.server.peerExpires == nil)
  }

  @Test func theServerSeesByWhichAuthorityTheClientIsTaken() throws {
    let files = try TLSContext.Files.server(clients: "authority")
    let pair = try Pair(server: files, client: .client("client"))
    #expect(pair.shakeHands() == (.done, .done))
    let authorities = try TLSContext(.server, files).authorities
    #expect(authorities.count == 1 && Set(pair.server.peerAuthorities) == authorities)
    #expect(TLSContext.authorities(in: try #require(files.authorities)) == authorities)
    #expect(TLSContext.authorities(in: "/nowhere") == [])
    let nameless = try Pair(server: files)
    #expect(nameless.shakeHands() == (.done, .done))
    #expect(nameless.server.peerAuthorities == [])
  }

  @Test func aClientThatIsNotTakenIsTold() throws {
    for (clients, name, words, alert) in [
      ("authority", nil, "peer did not return a certificate", "alert certificate required"),
      ("other", "client", "the client's certificate does not count: ", "alert unknown ca"),
    ] {
      let pair = try Pair(server: .server(clients: clients, isRequired: true), client: .client(name))
      let ends = pair.shakeHands()
      // The handshake of TLS 1.3 is over for the client when the server looks at its certificate.
      #expect(ends.client == .done && ends.server.fault.contains(words), "\(ends)")
      #expect(pair.client.decrypt().end.fault.contains(alert))
    }
  }

  @Test func onlyTheNewestVersionIsSpoken() throws {
    for isOld in [true, false] {
      let pair = try Pair()
      let old = isOld ? pair.server.session : pair.client.session
      SSL_ctrl(old, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
      SSL_ctrl(old, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
      let ends = pair.shakeHands()
      #expect(ends.client.fault.contains("protocol") && ends.server.fault.contains("protocol"), "\(ends)")
    }
  }

  @Test func anotherProtocolIsRefused() throws {
    for list in ["\u{8}http/1.1", "\u{2}h2\u{8}http/1.1", "\u{6}baton2"] {
      let pair = try Pair()
      let bytes = Array(list.utf8)
      SSL_set_alpn_protos(pair.client.session, bytes, UInt32(bytes.count))
      let ends = pair.shakeHands()
      #expect(ends.client.fault.contains("alert no application protocol"), "\(ends)")
      #expect(!pair.server.isEstablished)
    }
  }

  @Test func whatIsNoTLSFails() throws {
    for text in [#"{"op":"error","code":"not_json_lines"}"# + "\n", "HTTP/1.1 400 Bad Request\r\n"] {
      let client = try TLSSession(TLSContext(.client, .client()), host: "localhost")
      #expect(client.shakeHands() == .waits)
      client.feed(Array(text.utf8))
      #expect(client.shakeHands().fault == "TLS failed: wrong version number")
    }
  }
}
