import BatonCore
import Testing

/// The rows of the contract's tables (`when`).
@Suite struct ConditionTablesTests {
  private func check(_ cases: [AnswerCase], _ location: SourceLocation = #_sourceLocation) {
    for one in cases { one.check(location) }
  }

  // MARK: What a list may hold

  @Test func `What is equal fits`() {
    check([
      .init(#"["x"]"#, #""x""#, .fits), .init(#"["x"]"#, #""y""#, .no), .init("[1]", "1", .fits),
      .init("[1]", "2", .no),
      .init("[true]", "true", .fits), .init("[true]", "false", .no), .init("[false]", "false", .fits),
      .init("[null]", "null", .fits), .init(#"["x",1]"#, "1", .fits), .init(#"["x",1]"#, "2", .unknown),
    ])
  }

  @Test func `Texts begin, end, and are the same but for case`() {
    check([
      .init(#"[{"prefix":"ab"}]"#, #""abc""#, .fits), .init(#"[{"prefix":"ab"}]"#, #""a""#, .no),
      .init(#"[{"suffix":"bc"}]"#, #""abc""#, .fits), .init(#"[{"suffix":"bc"}]"#, #""ab""#, .no),
      .init(#"[{"equals-ignore-case":"aBc"}]"#, #""AbC""#, .fits),
      .init(#"[{"equals-ignore-case":"abc"}]"#, #""abd""#, .no),
    ])
  }

  @Test func `Numbers are compared with one bound or two`() {
    for (relation, answers) in ["=": "nyn", "<": "ynn", "<=": "yyn", ">": "nny", ">=": "nyy"] {
      for (number, answer) in zip(["4", "5", "6"], answers) {
        AnswerCase(#"[{"numeric":["\#(relation)",5]}]"#, number, answer == "y" ? .fits : .no).check()
      }
    }
    check([
      .init(#"[{"numeric":[">=",0,"<",5]}]"#, "0", .fits), .init(#"[{"numeric":[">=",0,"<",5]}]"#, "5", .no),
      .init(#"[{"numeric":[">=",5,"<=",5]}]"#, "5", .fits), .init(#"[{"numeric":[">",0]}]"#, "-0.5", .no),
    ])
  }

  @Test func `anything-but is the opposite`() {
    check([
      .init(#"[{"anything-but":"x"}]"#, #""y""#, .fits), .init(#"[{"anything-but":"x"}]"#, #""x""#, .no),
      .init(#"[{"anything-but":1}]"#, "2", .fits), .init(#"[{"anything-but":1}]"#, "1.0", .no),
      .init(#"[{"anything-but":["x","y"]}]"#, #""y""#, .no), .init(#"[{"anything-but":[1,2]}]"#, "3", .fits),
      .init(#"[{"anything-but":{"prefix":"x"}}]"#, #""xy""#, .no),
      .init(#"[{"anything-but":{"prefix":"x"}}]"#, #""yx""#, .fits),
      .init(#"[{"anything-but":"x"}]"#, "1", .unknown), .init(#"[{"anything-but":1}]"#, #""1""#, .unknown),
    ])
  }

  @Test func `Of the objects of $or one must fit`() {
    let either = #"{"$or":[{"a":["x"]},{"b":[1]}]}"#
    check([
      .init(either, payload: #"{"a":"x"}"#, .fits), .init(either, payload: #"{"b":1}"#, .fits),
      .init(either, payload: #"{"a":"y","b":2}"#, .no), .init(either, payload: #"{"a":1,"b":2}"#, .unknown),
      .init(#"{"a":["x"],"$or":[{"a":[{"exists":true}]}]}"#, payload: #"{"a":"x"}"#, .fits),
      .init(whole: #"{"$or":[{"topic":["t"]},{"payload":["x"]}]}"#, ["topic": #""t""#], .fits),
    ])
  }

  // MARK: Where the condition goes on with an object

  @Test func `A name that stands there twice, or one that looks like it, is unknown`() {
    for name in [
      "a", "A", #"\u0061"#, #"a\u0000"#, #"a\u0000b"#,
    ] {
      AnswerCase(#"{"a":["x"]}"#, payload: #"{"a":"x","\#(name)":"x"}"#, .unknown).check()
      AnswerCase(#"{"a":[{"exists":false}]}"#, payload: #"{"\#(name)":"x","\#(name)":"x"}"#, .unknown).check()
    }
    for (name, alike) in [
      ("ssk", "ſſK"), ("ii", "ıİ"), ("ss", "ß"), ("ss", "ẞ"), ("ff", "ﬀ"), ("fi", "ﬁ"), ("fl", "ﬂ"), ("ffi", "ﬃ"),
      ("ffl", "ﬄ"),
      ("st", "ﬅ"), ("st", "ﬆ"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("ss", #"\u00df"#), ("k", #"\u212a"#),
      ("tool", "TooL"),
      ("", #"\u0000x"#),
    ] {
      AnswerCase(#"{"\#(name)":["x"]}"#, payload: #"{"\#(alike)":"y"}"#, .unknown).check()
    }
    for name in ["b", "ä", "a ", " a", "aa", "á", ""] {
      AnswerCase(#"{"a":["x"]}"#, payload: #"{"\#(name)":"x"}"#, .no).check()
    }
    AnswerCase(#"{"a":["x"]}"#, payload: #"{"\u0061":"x"}"#, .fits).check()
    let long = String(repeating: "x", count: 9000)
    AnswerCase(#"{"a":["x"]}"#, payload: #"{"\#(long)":"x"}"#, .no).check()
    AnswerCase(#"{"a":["x"]}"#, payload: #"{"a\u0000\#(long)":"x"}"#, .unknown).check()
  }

  @Test func `Of a list one element must fit as a whole`() {
    let both = #"{"l":{"a":["x"],"b":["y"]}}"#
    check([
      .init(both, payload: #"{"l":[{"a":"x"},{"a":"x","b":"y"}]}"#, .fits),
      .init(both, payload: #"{"l":[{"a":"x"},{"b":"y"}]}"#, .no),
      .init(both, payload: #"{"l":[1,[{"a":"x","b":"y"}]]}"#, .fits),
      .init(both, payload: #"{"l":[{"a":"x","b":"y","B":1}]}"#, .unknown),
    ])
  }

  @Test func `A text that may be JSON is unknown, and anything else has no members`() {
    let below = #"{"o":{"a":["x"]}}"#
    for text in [
      #"{\"a\":\"x\"}"#, #" [1]"#, #"\n\t{"#, #"\u007b"#, "\u{FEFF}{", "\u{A0}[", #"\"{\\\"a\\\":1}\""#, #" \u0022"#,
    ] {
      AnswerCase(below, payload: #"{"o":"\#(text)"}"#, .unknown).check()
    }
    for value in [#""x{""#, #""x\"""#, #""""#, "1", "true", "null", "[]", "{}"] {
      AnswerCase(below, payload: #"{"o":\#(value)}"#, .no).check()
      AnswerCase(#"{"o":{"a":[{"exists":false}]}}"#, payload: #"{"o":\#(value)}"#, .fits).check()
    }
    AnswerCase(below, payload: "{}", .no).check()
    AnswerCase(whole: #"{"payload":{"a":["x"]}}"#, ["payload": #""{""#], .unknown).check()
    AnswerCase(whole: #"{"payload":{"a":["x"]}}"#, [:], .no).check()
  }

  // MARK: Where it has a list of alternatives

  /// What stands there, and the answers of `exists:true`, `exists:false`, `anything-but`, and a text.
  private static let rows: [(String?, String)] = [
    (nil, "nfun"), ("[]", "uuun"), ("{}", "uuun"), ("[ ]", "uuun"), ("null", "uuuu"), (#"{"b":1}"#, "fnun"),
    (#"["x"]"#, "fnnf"), (#"["y"]"#, "fnfn"), (#"["x","y"]"#, "fnff"), (#"[["y",["x"]]]"#, "fnff"), ("[[]]", "fnun"),
    ("[null]", "fnuu"), ("[{}]", "fnun"), (#""x""#, "fnnf"), (#""y""#, "fnfn"), ("1", "fnuu"), ("true", "fnuu"),
  ]

  @Test(arguments: rows) func `Each kind of value has its row`(_ value: String?, _ answers: String) {
    let columns = [#"[{"exists":true}]"#, #"[{"exists":false}]"#, #"[{"anything-but":"x"}]"#, #"["x"]"#]
    for (column, answer) in zip(columns, answers) {
      AnswerCase(column, value, answer == "f" ? .fits : answer == "u" ? .unknown : .no).check()
    }
  }

  @Test func `Nothing is null but null`() {
    check([
      .init("[null]", "null", .fits), .init("[null]", #""null""#, .no), .init("[null]", "0", .no),
      .init("[null]", "false", .no), .init("[null]", nil, .no), .init(#"["x"]"#, "null", .unknown),
    ])
  }

  @Test func `Two kinds are unknown`() {
    check([
      .init("[300]", #""300""#, .unknown), .init(#"["300"]"#, "300", .unknown), .init("[true]", "1", .unknown),
      .init("[1]", "true", .unknown), .init("[true]", #""true""#, .unknown),
      .init(#"[{"numeric":["<",5]}]"#, #""3""#, .unknown),
      .init(#"[{"prefix":"x"}]"#, "1", .unknown),
    ])
  }

  // MARK: Texts

  @Test func `Texts are compared byte for byte, escapes resolved`() {
    check([
      .init(#"["aä"]"#, #""\u0061\u00e4""#, .fits), .init(#"["\u0061"]"#, #""a""#, .fits),
      .init(#"["á"]"#, #""a\u0301""#, .no),
      .init(#"["😀"]"#, #""\ud83d\ude00""#, .fits), .init(#"["/"]"#, #""\/""#, .fits),
      .init(#"["a"]"#, #""a\u0000""#, .unknown), .init(#"[{"prefix":"b"}]"#, #""a\u0000""#, .unknown),
      .init(#"[{"anything-but":"a"}]"#, #""\u0000a""#, .unknown), .init(#"["a"]"#, #""\\u0000""#, .no),
    ])
  }

  @Test func `A suffix of a long text with escapes is unknown`() {
    let long = String(repeating: "x", count: 4095)
    check([
      .init(#"[{"suffix":"b"}]"#, #""\#(long.dropLast())\n""#, .no),
      .init(#"[{"suffix":"b"}]"#, #""\#(long)\n""#, .unknown),
      .init(#"[{"suffix":"b"}]"#, #""\#(long)xxb""#, .fits), .init(#"[{"prefix":"xx"}]"#, #""\#(long)\n""#, .fits),
    ])
  }

  @Test func `Case is known of ASCII alone`() {
    check([
      .init(#"[{"equals-ignore-case":"ä"}]"#, #""ä""#, .fits),
      .init(#"[{"equals-ignore-case":"ä"}]"#, #""Ä""#, .unknown),
      .init(#"[{"equals-ignore-case":"strasse"}]"#, #""STRAßE""#, .unknown),
      .init(#"[{"equals-ignore-case":"k"}]"#, #""\u212a""#, .unknown),
      .init(#"[{"equals-ignore-case":"ab"}]"#, #""a""#, .no),
      .init(#"[{"equals-ignore-case":"a"}]"#, #""aä""#, .unknown),
      .init(#"[{"equals-ignore-case":"a"}]"#, #""bä""#, .no),
      .init(#"[{"equals-ignore-case":"@"}]"#, #""`""#, .no), .init(#"[{"equals-ignore-case":"["}]"#, #""{""#, .no),
    ])
  }

  // MARK: Numbers

  @Test func `Numbers are compared exactly and as doubles`() {
    for number in ["300", "300.0", "3e2", "3E+2", "30000e-2", "0.3e3"] { AnswerCase("[300]", number, .fits).check() }
    check([
      .init("[9007199254740992]", "9007199254740994", .no), .init("[9007199254740992]", "9007199254740993", .unknown),
      .init("[0.1]", "0.1000000000000000055", .unknown), .init("[0]", "-0.0", .fits), .init("[0]", "1e-400", .unknown),
      .init(#"[{"numeric":[">",1]}]"#, "1.00000000000000000001", .unknown),
      .init(#"[{"numeric":["<",1]}]"#, "1e999", .no),
      .init(#"[{"anything-but":9007199254740992}]"#, "9007199254740993", .unknown), .init("[-1]", "1", .no),
    ])
  }

  @Test func `Of a long number nothing is known`() {
    let zeros = { String(repeating: "0", count: $0) }
    check([
      .init("[1]", "1.\(zeros(62))", .fits), .init("[1]", "1.\(zeros(63))", .unknown), .init("[1]", "1e0000", .fits),
      .init("[1]", "1e00000", .unknown), .init("[1]", "1e-9999", .no),
      .init(#"[{"anything-but":1}]"#, "1e99999", .unknown),
    ])
  }

  // MARK: Lists

  @Test func `Lists count with those below them`() {
    let list = { (count: Int, element: String) in
      "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }
    check([
      .init(#"["x"]"#, list(256, #""x""#), .fits), .init(#"["x"]"#, list(256, "true"), .unknown),
      .init(#"["x"]"#, list(256, #""y""#), .no), .init(#"["x"]"#, list(257, #""y""#), .unknown),
      .init(#"["x",{"exists":true}]"#, list(257, #""y""#), .fits), .init(#"[{"exists":false}]"#, list(257, "1"), .no),
      .init(#"["x"]"#, list(16, list(15, #""y""#)), .no), .init(#"["x"]"#, list(16, list(16, #""y""#)), .unknown),
      .init(#"{"b":["x"]}"#, list(128, #"{"b":["y"]}"#), .no),
      .init(#"{"b":["x"]}"#, list(129, #"{"b":["y"]}"#), .unknown),
      .init(#"{"b":["x"],"c":["x"]}"#, list(86, #"{"b":["y"],"c":["y"]}"#), .unknown),
      .init(#"{"b":["x"],"c":["x"]}"#, list(85, #"{"b":["y"],"c":["y"]}"#), .no),
      .init(#"{"b":[{"exists":true}]}"#, list(256, #"{"b":["y"]}"#), .fits),
    ])
    let twice = #"{"$or":[{"a":{"b":["x"]}},{"a":{"b":["z"]}}]}"#
    AnswerCase(twice, payload: #"{"a":\#(list(128, #"{"b":["y"]}"#))}"#, .no).check()
    let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
    AnswerCase(#"["x"]"#, deep, .unknown).check()
  }

  // MARK: Parts of a message

  @Test func `Each part is looked at`() {
    let all = ["payload": "1", "meta": #"{"a":"m"}"#, "topic": #""tool.run""#, "key": #""ann""#, "identity": #""web""#]
    for (condition, answer) in [
      (#"{"payload":[1]}"#, Answer.fits), (#"{"meta":{"a":["m"]}}"#, .fits),
      (#"{"topic":[{"prefix":"tool."}]}"#, .fits),
      (#"{"key":["ann"]}"#, .fits), (#"{"identity":["web"]}"#, .fits), (#"{"identity":["ann"]}"#, .no), ("{}", .fits),
      (#"{"topic":[{"prefix":"door."}],"payload":["1"]}"#, .no),
    ] {
      AnswerCase(whole: condition, all, answer).check()
    }
    AnswerCase(whole: #"{"key":[{"exists":false}]}"#, ["topic": #""t""#], .fits).check()
    AnswerCase(whole: #"{"identity":["web"]}"#, ["topic": #""t""#], .no).check()
    AnswerCase(whole: #"{"payload":["x"]}"#, ["payload": #"["y","x"]"#], .fits).check()
  }
}
