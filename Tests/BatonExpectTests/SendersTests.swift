import Testing

@testable import BatonExpect

/// As whom a message is sent, and what that allows.
@Suite struct SendersTests {
  private static let peers = """
    config:
      peers:
        web: { user: root, may: [send to c on a.>, broadcast chat.> via c] }
        ann: { certificate: dns:ann.example, may: [everything] }
        anonymous: { may: [send to hello] }
      chains:
        c: { links: [{ handler: a }] }
    expect:

    """

  @Test func rightsHold() throws {
    let outcomes = try play(
      Self.peers + """
          - { name: may, as: web, send: { topic: a.b, chain: c }, handlers: { a: handled }, result: { by: a } }
          - { name: topic, as: web, send: { topic: b, chain: c }, handlers: { a: handled }, error: not_allowed }
          - { name: chain, as: web, send: { topic: a.b }, error: not_allowed }
          - { name: via, as: web, broadcast: { topic: chat.a, via: c }, result: { status: published, delivered: 1 } }
          - { name: direct, as: web, broadcast: { topic: chat.a }, error: not_allowed, heard: false }
          - { name: all, as: ann, send: { topic: b, chain: d }, handlers: { x: handled }, result: { by: x } }
          - { name: nobody, as: anonymous, send: { topic: b, chain: c }, error: not_allowed }
          - { name: hello, as: anonymous, send: { topic: b, chain: hello }, result: { status: unhandled } }
          - { name: no name, send: { topic: b, chain: c }, handlers: { a: handled }, result: { by: a } }
          - { name: from, as: web, broadcast: { topic: chat.a, via: c, meta: { n: 1 } }, heard: { from: web, meta: { n: 1 } } }
        """)
    #expect(differences(outcomes) == [])
  }

  @Test func strangersDoNotGetIn() throws {
    let outcomes = try play(
      Self.peers.replacing("    anonymous: { may: [send to hello] }\n", with: "") + """
          - { name: stranger, as: stranger, send: { topic: a.b, chain: c }, asked: [], error: auth_required }
          - { name: not so, as: stranger, send: { topic: a.b, chain: c }, result: { status: unhandled } }
        """)
    #expect(outcomes[0].isAsExpected)
    #expect(differences(outcomes).count == 1)
    #expect(differences(outcomes)[0].hasPrefix("2: reply | a result | error auth_required: "))
  }

  /// Limits of the file hold, too, and everybody has as many connections as an identity may.
  @Test func settingsHold() throws {
    let outcomes = try play(
      """
      config:
        settings: { timeout_ms: 700, max_topic_words: 2 }
        chains: { c: { links: [{ handler: a }] } }
      expect:
        - { name: the deadline, send: { topic: t, chain: c }, handlers: { a: hangs }, result: { status: timeout }, within_ms: 700 }
        - { name: the topic, send: { topic: a.b.c, chain: c }, error: bad_topic }
      """)
    #expect(differences(outcomes) == [])
    #expect(outcomes[0].tookMilliseconds == 700)
  }
}
