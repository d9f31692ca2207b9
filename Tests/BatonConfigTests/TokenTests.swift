import BatonCore
import Testing

@testable import BatonConfig

/// Tokens and their digests.
@Suite struct TokenTests {
  /// Gives the bytes 0 to 31, eight at a time.
  private struct Counting: RandomNumberGenerator {
    private var at: UInt64 = 0

    mutating func next() -> UInt64 {
      defer { at += 8 }
      return (0..<8).reduce(0) { $0 | (at + $1) << (8 * $1) }
    }
  }

  /// Computed with Python's `base64` and `zlib`.
  @Test func aTokenIsItsRandomBitsAndTheirChecksum() {
    var counting = Counting()
    let token = Token(using: &counting)
    #expect(token.text == "baton_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh84O7WPJ")
    #expect(
      TokenDigest(of: token.text).spelling == "sha256:df9ba0b68bcffb761c14714a57e0db6d2e5e31c0b326d57ac15ed67539159bb0")
    #expect(Token.isToken("baton_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0DofJ8"))
  }

  @Test func tokensDiffer() throws {
    let tokens = (0..<100).map { _ in Token().text }
    #expect(Set(tokens).count == 100)
    let expression = try Regex(Token.expression)
    for token in tokens {
      #expect(token.wholeMatch(of: expression) != nil)
      #expect(Token.isToken(token))
      #expect(!Token.isToken(String(token.dropLast()) + (token.last == "A" ? "B" : "A")))
    }
  }

  /// The vectors of FIPS 180-2.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func theDigestIsSHA256(text: String, digest: String) {
    #expect(TokenDigest(of: text).spelling == "sha256:\(digest)")
    #expect(TokenDigest(spelling: "sha256:\(digest)") == TokenDigest(of: text))
    #expect(TokenDigest(spelling: "sha256:\(digest.uppercased())") == TokenDigest(of: text))
    #expect(TokenDigest(spelling: "sha256:\(digest.dropLast())g") == nil)
    #expect(TokenDigest(spelling: "sha512:\(digest)") == nil)
  }
}
