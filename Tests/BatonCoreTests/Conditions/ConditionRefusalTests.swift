import BatonCore
import ConditionKit
import Testing

/// What is refused as a condition, and in which words (contract, `when`).
@Suite struct ConditionRefusalTests {
  private func refusal(_ condition: String, identity: Bool = true) -> String? {
    var twins = ConditionTwins()
    #expect(twins.disagreement(condition, [:], identity: identity).words == nil, "\(condition.prefix(300))")
    switch twins.read(condition, identity: identity) {
    case .success: return nil
    case .failure(let fault): return fault.words
    }
  }

  private static let words = #""anything-but", "equals-ignore-case", "exists", "numeric", "prefix", "suffix""#

  @Test func `The words say where, what and how to mend it`() {
    for (condition, words) in [
      ("[]", #"must be an object, such as {"payload":{"tool":["shell"]}}"#),
      (#"{"paylod":{"a":[1]}}"#, #"paylod: is no part of a message; did you mean "payload"?"#),
      (
        #"{"from":["web"]}"#,
        #"from: is no part of a message; there are "payload", "meta", "topic", "key", "identity""#
      ),
      (#"{"payload":{}}"#, "payload: is an empty object; name a member, or leave it out"),
      (#"{"payload":{"a":[]}}"#, "payload.a: is an empty list, which nothing fits"),
      (#"{"payload":{"a":"x"}}"#, #"payload.a: must be a list of alternatives, such as ["x"], or an object"#),
      (#"{"payload":{"a":[["x"]]}}"#, "payload.a[0]: is a list within a list; write its elements beside the others"),
      (
        #"{"payload":{"a":[1],"A":[1]}}"#,
        "payload.A: stands here twice, also if it differs only in upper and lower case"
      ),
      (#"{"payload":{"$and":[{"a":[1]}]}}"#, "payload.$and: begins with $, which only $or may"),
      (#"{"payload":{"$or":{"a":[1]}}}"#, "payload.$or: must be a list of objects, of which one must fit"),
      (#"{"payload":{"$or":[]}}"#, "payload.$or: is an empty list; it needs an object that must fit"),
      (#"{"payload":{"$or":[1]}}"#, "payload.$or[0]: must be an object"),
      (
        #"{"payload":{"ä":[1]}}"#,
        #"payload["ä"]: is a name beyond ASCII, which has several spellings; look at another member"#
      ),
      (#"{"payload":{"a\u0000":[1]}}"#, #"payload["a\u0000"]: contains U+0000, where some programs end a name"#),
      (#"{"payload":{"a":["x\u0000"]}}"#, "payload.a[0]: contains U+0000, where some programs end a text"),
      (
        #"{"payload":{"amount":[{"wildcard":"a*"}]}}"#,
        "payload.amount[0].wildcard: is no test; there are \(Self.words)"
      ),
      (#"{"payload":{"amount":[{"prefx":"a"}]}}"#, #"payload.amount[0].prefx: is no test; did you mean "prefix"?"#),
      (#"{"payload":{"a":[{}]}}"#, "payload.a[0]: is empty; it needs one of \(Self.words)"),
      (
        #"{"payload":{"a":[{"prefix":"a","suffix":"b"}]}}"#,
        "payload.a[0]: has more than one member; each test is an object of its own"
      ),
      (#"{"payload":{"a":[{"prefix":{"equals-ignore-case":"a"}}]}}"#, "payload.a[0].prefix: must be a text"),
      (#"{"payload":{"a":[{"prefix":""}]}}"#, "payload.a[0].prefix: is an empty text, which every text fits"),
      (#"{"payload":{"a":[{"exists":1}]}}"#, "payload.a[0].exists: must be true or false"),
      (
        #"{"payload":{"a":[{"numeric":[5]}]}}"#,
        #"payload.a[0].numeric: must be a comparison, such as ["<",5], or a lower bound and a higher one, such as [">=",0,"<",5]"#
      ),
      (
        #"{"payload":{"a":[{"numeric":["==",5]}]}}"#,
        #"payload.a[0].numeric[0]: must be one of "=", "<", "<=", ">", ">=""#
      ),
      (#"{"payload":{"a":[{"numeric":["<","5"]}]}}"#, "payload.a[0].numeric[1]: must be a number"),
      (#"{"payload":{"a":[{"numeric":[">",5,"<",5]}]}}"#, "payload.a[0].numeric: has no number between its bounds"),
      (#"{"payload":{"a":[1e999]}}"#, "payload.a[0]: is a number that a double cannot hold"),
      (#"{"payload":{"a":[1e-999]}}"#, "payload.a[0]: is a number that a double cannot hold"),
      (
        #"{"payload":{"a":[{"anything-but":{"suffix":"a"}}]}}"#,
        #"payload.a[0].anything-but: takes a text, a number, a list of texts alone or of numbers alone, or {"prefix":…}"#
      ),
      (#"{"topic":[1]}"#, "topic[0]: can never be equal to a text; write a text in quotes"),
      (#"{"key":[null]}"#, "key[0]: can never be equal to a text; write a text in quotes"),
      (#"{"identity":[{"numeric":["<",5]}]}"#, "identity[0].numeric: compares numbers, and this is always a text"),
      (#"{"topic":{"a":[1]}}"#, #"topic: is a text; it takes a list of texts, such as ["a"]"#),
    ] {
      #expect(refusal(condition) == words)
    }
    #expect(
      refusal(#"{"identity":["web"]}"#, identity: false)
        == "identity: says nothing where the server asks nobody who is there: whoever says hello chooses it")
  }

  @Test func `Bounds are kept to the last byte`() {
    let many = { (count: Int, one: String) in Array(repeating: one, count: count).joined(separator: ",") }
    let a = { (alternatives: String) in #"{"payload":{"a":[\#(alternatives)]}}"# }
    let x = { String(repeating: "x", count: $0) }
    let nested = { (levels: Int) in
      #"{"payload":"# + String(repeating: #"{"a":"#, count: levels) + "[1]" + String(repeating: "}", count: levels + 1)
    }
    for (good, bad, words) in [
      (a(many(64, "1")), a(many(65, "1")), "payload.a[64]: is one alternative too many: a condition has at most 64"),
      (
        a(#"{"anything-but":[\#(many(64, "1"))]}"#), a(#"{"anything-but":[\#(many(64, "1"))]},1"#),
        "payload.a[1]: is one alternative too many: a condition has at most 64"
      ),
      (a(#""\#(x(256))""#), a(#""\#(x(257))""#), "payload.a[0]: is a text of more than 256 bytes"),
      (
        #"{"payload":{"\#(x(256))":[1]}}"#, #"{"payload":{"\#(x(257))":[1]}}"#,
        "payload[\"\(x(40))\"]: is a name of more than 256 bytes"
      ),
      (
        a("1.\(String(repeating: "0", count: 30))"), a("1.\(String(repeating: "0", count: 31))"),
        "payload.a[0]: is a number of more than 32 bytes"
      ),
      (
        nested(14), nested(15),
        "payload\(String(repeating: ".a", count: 15)): lies too deep: at most 16 objects and lists stand in each other"
      ),
      (
        #"{"$or":[\#(many(16, #"{"key":["a"]}"#))]}"#, #"{"$or":[\#(many(17, #"{"key":["a"]}"#))]}"#,
        "$or[16]: is one object too many: $or takes at most 16"
      ),
    ] {
      #expect(refusal(good) == nil)
      #expect(refusal(bad) == words)
    }
    // 4096 bytes as the server spells it: white space and escapes do not count.
    let texts = many(15, #""\#(x(256))""#)
    let rest = 4096 - a(texts + #","""#).utf8.count
    #expect(refusal(a(texts + #" , "\u0079\#(x(rest - 1))" "#)) == nil)
    #expect(refusal(a(texts + #","y\#(x(rest))""#)) == "takes more than 4096 bytes; ask for less")
  }

  @Test func `A condition is spelled without white space and needless escapes`() {
    let twins = ConditionTwins()
    guard
      case .success(let condition) = twins.read(
        #"{ "payload" : { "\u0061" : [ "\u00e4\/\n" , 1.50e1 , {"exists" : true} , null ] } }"#, identity: true)
    else {
      Issue.record("refused")
      return
    }
    let spelling = String(decoding: condition.spelling, as: UTF8.self)
    #expect(spelling == #"{"payload":{"a":["ä/\n",1.50e1,{"exists":true},null]}}"#)
  }
}
