import Testing

@testable import BatonCore

/// Rights as messages are compared with them allow the same as one right after the other. All of these names, patterns
/// and topics are tried with each other; many of them differ behind their eighth byte only.
@Suite struct MessageRightsTests {
  private static let chains = ["main", "mai", "mainframe", "mainfram", "mainframes", "m", "door-1", "*"]
  private static let prefixes = ["*", "m*", "main*", "mainfram*", "mainframe*", "mainframes*"]
  private static let patterns = [
    ">", "*", "a", "a.>", "a.*", "a.b", "*.b", "a.*.c", "*.>", "abcdefg", "abcdefgh", "abcdefghi", "abcdefg.>",
    "abcdefgh.>",
    "abcdefgh.*", "abcdefgh.i", "abcdefghi.>", "$baton.link", "$baton.>",
  ]
  private static let topics = [
    "a", "b", "a.b", "a.c", "a.b.c", "a.c.c", "a.b.d", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghij", "abcdefg.h",
    "abcdefgh.i", "abcdefgh.j", "abcdefgh.i.j", "abcdefghi.j", "$baton.link", "$baton.link.x",
  ]

  private func bytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Array(text.utf8).withUnsafeBytes(body)
  }

  /// Asks everything of the rights, twice: the second answer may come from what was remembered.
  private func compare(_ kind: Right.Kind, _ rights: [Right]) {
    var table = MessageRights(kind, of: rights)
    for chain in Self.chains.filter({ $0 != "*" }) + [""] {
      for topic in Self.topics {
        bytes(chain) { chain in
          bytes(topic) { topic in
            let expected = rights.contains { right in
              guard right.kind == kind, right.allows(topic: topic) else { return false }
              return right.chain.map { !chain.isEmpty && $0.matches(chain) } ?? chain.isEmpty
            }
            for _ in 0..<2 {
              let found = table.allow(chain, topic)
              #expect(found == expected, "\(rights.map(\.spelling)) \(chain.string) \(topic.string)")
            }
          }
        }
      }
    }
  }

  @Test func eachRightAllowsWhatItSays() throws {
    for pattern in Self.patterns {
      for chain in Self.chains + Self.prefixes {
        compare(.send, [try Right(parsing: "send to \(chain) on \(pattern)")])
        compare(.broadcast, [try Right(parsing: "broadcast \(pattern) via \(chain)")])
      }
      compare(.broadcast, [try Right(parsing: "broadcast \(pattern)")])
    }
  }

  @Test func oneOfManyIsEnough() throws {
    var rights = try Self.patterns.flatMap { pattern in
      try ["main", "mainframe*"].flatMap { chain in
        [try Right(parsing: "send to \(chain) on \(pattern)"), try Right(parsing: "broadcast \(pattern) via \(chain)")]
      }
    }
    while !rights.isEmpty {
      compare(.send, rights)
      compare(.broadcast, rights)
      rights.removeFirst(9 % rights.count + 1)
    }
  }

  @Test func noRightsAllowNothing() {
    compare(.send, [])
    compare(.broadcast, [Right(.send, chain: .any), Right(.everything)])
  }
}
