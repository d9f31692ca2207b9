import Testing
import WorldKit

@testable import BatonConfig

/// Files that were cut and changed at random. Whatever comes out, the reader says what is wrong and does not trap.
@Suite struct MutationTests {
  private static let whole = """
    # A file with everything.
    listen:
      - tcp:127.0.0.1:22866
      - { unix: run/a.sock, mode: '0660', group: baton }
      - {"tcp": '[::1]:1', plain_tokens: true, proxy_protocol: true}
    http: [ 127.0.0.1:22868, { https: '[::1]:443' }, { http: 127.0.0.1:80, plain_tokens: true } ]
    http_hosts: [baton.example, Other_1]
    allow_origins: [https://app.example, 'http://[::1]:8080']
    public_address: https://baton.example
    proxies: [127.0.0.1, 10.0.0.0/8, '2001:db8::/64']
    proxy_header: x-forwarded-for
    tls: { certificate: a.pem, key: "b.pem", require_clients: false }
    settings:
      max_line: 65536
      window: 5
    chains:
      main:
        open: true
        links:
          - { handler: words, accepts: [chat.>, '*.x'], timeout_ms: 200, on_failure: { timeout: stop } }
          - mount: rooms
      rooms: { links: [{ handler: "a", required: true, hold_ms: 5, share: false, shadow: true, window: 1 }] }
    topics:
      - { pattern: chat.>, keep: 1000, keep_ms: 3600000 }
      - {"pattern": '*.x', keep: 1}
    peers:
      ann:
        token: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
        user: [ann, 1000]
        may:
          - serve moderation/words on chat.>
          - 'send to main on *.x'
        limits: { max_links: 3 }
      anonymous: { certificate: dns:é.example, may: [broadcast a.> via main] }

    """

  @Test func aCutFileIsReadOrRefused() {
    let bytes = Array(Self.whole.utf8)
    for end in 0...bytes.count {
      _ = mistakes(in: Array(bytes[..<end]))
      _ = mistakes(in: Array(bytes[end...]))
    }
  }

  @Test func aChangedFileIsReadOrRefused() {
    var luck = Generator(seed: 15)
    let signs = Array("\n\t :-[]{}'\"#&*!|>%@`?,.\\0é\u{85}\u{FEFF}".utf8) + [0x00, 0xFF, 0xC3, 0x0D]
    for _ in 0..<4000 {
      var bytes = Array(Self.whole.utf8)
      for _ in 0...luck.below(6) {
        let at = luck.below(bytes.count)
        switch luck.below(4) {
        case 0: bytes[at] = luck.pick(signs)
        case 1: bytes.insert(luck.pick(signs), at: at)
        case 2: bytes.remove(at: at)
        default:
          let end = min(bytes.count, at + luck.below(40))
          bytes.insert(contentsOf: Array(bytes[at..<end]), at: luck.below(bytes.count))
        }
      }
      for mistake in mistakes(in: bytes) {
        #expect(mistake.wholeMatch(of: /\d+:\d+ .+/.dotMatchesNewlines()) != nil, "\(mistake)")
      }
    }
  }
}
