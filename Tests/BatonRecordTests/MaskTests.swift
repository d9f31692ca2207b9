import Testing

@testable import BatonRecord

/// Values that are never kept (Docs/record.md, "Switch it on").
@Suite struct MaskTests {
  private func masked(_ text: String, _ masks: String..., root: PayloadMask.Root = .payload) -> (String, Int)? {
    let masks = masks.compactMap { try? PayloadMask.read($0).get() }
    guard case .kept(let bytes, let count) = PayloadMask.mask(Array(text.utf8)[...], masks, in: root) else {
      return nil
    }
    return (String(decoding: bytes, as: UTF8.self), count)
  }

  @Test(arguments: [
    (#"{"password":"a","b":1}"#, #"{"password":"***","b":1}"#, 1),
    // Escapes, another case, and a member twice.
    (
      #"{"p\u0061ssword":{"x":[1]} , "PASSWORD" : 2,"password":null}"#,
      #"{"p\u0061ssword":"***" , "PASSWORD" : "***","password":"***"}"#, 3
    ),
    // Elsewhere it is another one.
    (#"{"a":{"password":1},"passwords":2}"#, #"{"a":{"password":1},"passwords":2}"#, 0),
    (#"[{"password":1}]"#, #"[{"password":1}]"#, 0),
  ])
  func aMemberIsMasked(text: String, kept: String, count: Int) throws {
    let found = try #require(masked(text, "/payload/password"))
    #expect(found.0 == kept)
    #expect(found.1 == count)
  }

  @Test func aStarIsEachElementAndMember() throws {
    let text = #"{"cards":[{"number":1},{"number":[2,{"x":3}]},4],"CARDS":{"a":{"Number":5},"b":{}}}"#
    let found = try #require(masked(text, "/payload/cards/*/number"))
    #expect(found.0 == #"{"cards":[{"number":"***"},{"number":"***"},4],"CARDS":{"a":{"Number":"***"},"b":{}}}"#)
    #expect(found.1 == 3)
  }

  @Test func listsHaveNumbers() throws {
    #expect(try #require(masked("[0,[1,2],3]", "/payload/1/0")).0 == #"[0,["***",2],3]"#)
    #expect(
      try #require(masked(#"{"a/b":1,"c~d":2}"#, "/payload/a~1b", "/payload/c~0d")).0 == #"{"a/b":"***","c~d":"***"}"#)
  }

  @Test func allOfItCanBeMasked() throws {
    #expect(try #require(masked(#"{"a":1}"#, "/payload")).0 == #""***""#)
    #expect(try #require(masked(#"{"a":1}"#, "/meta")).0 == #"{"a":1}"#)
    #expect(try #require(masked(#"{"a":1}"#, "/meta/a", root: .meta)).0 == #"{"a":"***"}"#)
  }

  @Test func deepInLists() throws {
    let depth = 100
    let text = String(repeating: "[", count: depth) + "\"geheim\"" + String(repeating: "]", count: depth)
    let found = try #require(masked(text, "/payload" + String(repeating: "/*", count: depth)))
    #expect(!found.0.contains("geheim"))
    #expect(found.1 == 1)
  }

  @Test(arguments: ["payload/a", "/a", "/payloads", "", "/", "/payload/~", "/payload/~2"])
  func wrongOnesAreTold(text: String) {
    if case .success = PayloadMask.read(text) { Issue.record("\(text) is taken") }
  }
}
