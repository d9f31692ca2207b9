package import BatonCore

/// Tokens and entries of `peers` for tests. A token is made from its entry's name, so that tests need not remember any.
package enum TestToken {
  /// The token of an entry: as long as a real one, and always the same.
  package static func text(of name: String) -> String {
    let padding = String(repeating: "x", count: max(0, 43 - name.utf8.count))
    return "baton_\(name)\(padding)000000"
  }

  /// The digest of a token. In the core any function will do; this one is short, and no secret depends on it.
  package static func digest(_ bytes: UnsafeRawBufferPointer) -> TokenDigest {
    var words = SIMD4<UInt64>(1, 2, 3, 4)
    for byte in bytes { words = (words ^ SIMD4(repeating: UInt64(byte))) &* SIMD4(repeating: 0x100_0000_01B3) }
    return TokenDigest(words: words)
  }

  /// The digest of an entry's token.
  package static func digest(of name: String) -> TokenDigest {
    Array(text(of: name).utf8).withUnsafeBytes { digest($0) }
  }
}

extension AccessRules {
  /// Rules with these entries, for tests. Each has the token of its name, but `anonymous` has none.
  package init(forTests peers: [Peer]) {
    self.init(peers: peers.map { $0.withTestToken }, digest: { TestToken.digest($0) })
  }
}

extension AccessRules.Peer {
  /// An entry that may do what the texts of these rights say. A text that is no right is a mistake of the test.
  package init(_ name: String, may rights: [String]) {
    self.init(name: name)
    may = rights.map { text in
      do throws(RightError) {
        return try Right(parsing: text)
      } catch {
        preconditionFailure("\"\(text)\" is no right: \(error.message)")
      }
    }
  }

  fileprivate var withTestToken: Self {
    var peer = self
    if name != "anonymous" { peer.tokens = [TestToken.digest(of: name)] }
    return peer
  }
}
