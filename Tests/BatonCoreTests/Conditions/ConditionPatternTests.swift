import BatonCore
import ConditionKit
import Testing

/// The rules of event patterns as `event-ruler` and `quamina` test them, in cases of our own. Where they match, a condition
/// fits or is in doubt, but for the five places that Docs/conditions.md names. Where they do not, it says no or is in doubt.
@Suite struct ConditionPatternTests {
  /// A rule, a pattern on a payload, a payload, whether they match, and what we answer.
  struct Case: CustomTestStringConvertible, Sendable {
    var rule: String
    var pattern: String
    var payload: String
    var matches: Bool
    var answer: Answer
    var testDescription: String { rule }

    init(_ rule: String, _ pattern: String, _ payload: String, _ matches: Bool, _ answer: Answer) {
      (self.rule, self.pattern, self.payload, self.matches, self.answer) = (rule, pattern, payload, matches, answer)
    }
  }

  private static let group = #"{"bands":{"members":{"name":["Ida"],"role":["bass"]}}}"#
  private static let camera = #"{"photo":{"width":[{"numeric":[">",400]}],"title":[{"prefix":"View"}]}}"#

  static let cases: [Case] = [
    .init("all members of an object", #"{"a":["x"],"b":["y"]}"#, #"{"a":"x","b":"y","c":1}"#, true, .fits),
    .init("one member is missing", #"{"a":["x"],"b":["y"]}"#, #"{"a":"x"}"#, false, .no),
    .init("any order of members", #"{"b":["y"],"a":["x"]}"#, #"{"a":"x","b":"y"}"#, true, .fits),
    .init("one of the alternatives", #"{"a":["x","y","z"]}"#, #"{"a":"y"}"#, true, .fits),
    .init("objects in each other", #"{"a":{"b":{"c":["x"]}}}"#, #"{"a":{"b":{"c":"x"}}}"#, true, .fits),
    .init("another level", #"{"a":{"c":["x"]}}"#, #"{"a":{"b":{"c":"x"}}}"#, false, .no),
    .init("a number and a prefix at once", camera, #"{"photo":{"width":800,"title":"View from here"}}"#, true, .fits),
    .init("a number that is too small", camera, #"{"photo":{"width":400,"title":"View from here"}}"#, false, .no),
    .init("a list matches by one element", #"{"tags":["admin"]}"#, #"{"tags":["user","admin"]}"#, true, .fits),
    .init("a list without it", #"{"tags":["root"]}"#, #"{"tags":["user","admin"]}"#, false, .no),
    .init(
      "members of one element", group, #"{"bands":[{"members":[{"name":"Ida","role":["voice","bass"]}]}]}"#, true, .fits
    ),
    .init(
      "members of two elements", group,
      #"{"bands":[{"members":[{"name":"Ida","role":"voice"},{"name":"Jo","role":"bass"}]}]}"#,
      false, .no),
    .init(
      "members of two lists", group, #"{"bands":[{"members":[{"name":"Ida"}]},{"members":[{"role":"bass"}]}]}"#, false,
      .no),
    .init("a list in a list", #"{"a":["x"]}"#, #"{"a":[["y"],["x"]]}"#, true, .fits),
    .init("objects in a list in a list", #"{"a":{"b":[1]}}"#, #"{"a":[[{"b":1}]]}"#, true, .fits),
    .init("lists of values beside each other", #"{"a":["x"],"b":[2]}"#, #"{"a":["x","y"],"b":[1,2]}"#, true, .fits),
    .init("prefix", #"{"a":[{"prefix":"ab"}]}"#, #"{"a":"abc"}"#, true, .fits),
    .init("prefix of a number", #"{"a":[{"prefix":"1"}]}"#, #"{"a":12}"#, false, .unknown),
    .init("suffix", #"{"a":[{"suffix":".png"}]}"#, #"{"a":"x.png"}"#, true, .fits),
    .init("suffix beyond ASCII", #"{"a":[{"suffix":"日本"}]}"#, #"{"a":"x日本"}"#, true, .fits),
    .init("no suffix", #"{"a":[{"suffix":".png"}]}"#, #"{"a":"x.jpg"}"#, false, .no),
    .init("without case", #"{"a":[{"equals-ignore-case":"jaVa"}]}"#, #"{"a":"JAvA"}"#, true, .fits),
    .init("without case, longer", #"{"a":[{"equals-ignore-case":"jaVa"}]}"#, #"{"a":"javas"}"#, false, .no),
    .init("without case beyond ASCII", #"{"a":[{"equals-ignore-case":"Ärger"}]}"#, #"{"a":"ärger"}"#, true, .unknown),
    .init("with case", #"{"a":["java"]}"#, #"{"a":"Java"}"#, false, .no),
    .init("numbers in other spellings", #"{"a":[300]}"#, #"{"a":3.0e2}"#, true, .fits),
    .init("numbers up to a bound", #"{"a":[{"numeric":["<=",10]}]}"#, #"{"a":10.0}"#, true, .fits),
    .init("numbers between bounds", #"{"a":[{"numeric":[">",0,"<=",5]}]}"#, #"{"a":0}"#, false, .no),
    .init("negative numbers", #"{"a":[{"numeric":["<",-1.5]}]}"#, #"{"a":-2}"#, true, .fits),
    .init("a number that is equal", #"{"a":[{"numeric":["=",3.1]}]}"#, #"{"a":3.10}"#, true, .fits),
    .init("a number in a text", #"{"a":[{"numeric":["<",5]}]}"#, #"{"a":"3"}"#, false, .unknown),
    .init("a text that is a number", #"{"a":["5"]}"#, #"{"a":5}"#, false, .unknown),
    .init("exists", #"{"a":[{"exists":true}]}"#, #"{"a":0}"#, true, .fits),
    .init("exists, and is not there", #"{"a":[{"exists":true}]}"#, #"{"b":0}"#, false, .no),
    .init("exists not", #"{"a":[{"exists":false}]}"#, #"{"b":0}"#, true, .fits),
    .init("exists not, and is there", #"{"a":[{"exists":false}]}"#, #"{"a":"x"}"#, false, .no),
    .init("exists not, below nothing", #"{"a":{"b":[{"exists":false}]}}"#, #"{}"#, true, .fits),
    .init("exists, null", #"{"a":[{"exists":true}]}"#, #"{"a":null}"#, true, .unknown),
    .init("exists, an empty list", #"{"a":[{"exists":true}]}"#, #"{"a":[]}"#, false, .unknown),
    .init("exists not, an empty list", #"{"a":[{"exists":false}]}"#, #"{"a":[]}"#, true, .unknown),
    .init("exists and a value", #"{"a":[{"exists":false},"x"]}"#, #"{"a":"x"}"#, true, .fits),
    .init(
      "exists in an element", #"{"l":{"a":[1],"b":[{"exists":false}]}}"#, #"{"l":[{"a":1,"b":2},{"a":1}]}"#, true, .fits
    ),
    .init("anything but a text", #"{"a":[{"anything-but":"x"}]}"#, #"{"a":"y"}"#, true, .fits),
    .init("anything but a text, a number", #"{"a":[{"anything-but":"x"}]}"#, #"{"a":1}"#, true, .unknown),
    .init("anything but texts", #"{"a":[{"anything-but":["x","y"]}]}"#, #"{"a":"y"}"#, false, .no),
    .init("anything but a number", #"{"a":[{"anything-but":3.50}]}"#, #"{"a":35e-1}"#, false, .no),
    .init("anything but a prefix", #"{"a":[{"anything-but":{"prefix":"ab"}}]}"#, #"{"a":"b"}"#, true, .fits),
    .init("anything but, in a list", #"{"a":[{"anything-but":"x"}]}"#, #"{"a":["x","y"]}"#, true, .fits),
    .init("anything but, nothing is there", #"{"a":[{"anything-but":"x"}]}"#, "{}", false, .unknown),
    .init("true", #"{"a":[true]}"#, #"{"a":true}"#, true, .fits),
    .init("null", #"{"a":[null]}"#, #"{"a":null}"#, true, .fits),
    .init("null, nothing is there", #"{"a":[null]}"#, "{}", false, .no),
    .init("escapes", #"{"\u0061":["\u0062"]}"#, #"{"a":"\u0062"}"#, true, .fits),
    .init("$or, the second", #"{"$or":[{"a":["x"]},{"b":[1]}]}"#, #"{"a":"y","b":1}"#, true, .fits),
    .init("$or, none", #"{"$or":[{"a":["x"]},{"b":[1]}]}"#, #"{"a":"y","b":2}"#, false, .no),
    .init("$or beside a member", #"{"c":["z"],"$or":[{"a":["x"]},{"b":[1]}]}"#, #"{"a":"x"}"#, false, .no),
    .init("$or in $or", #"{"$or":[{"$or":[{"a":[1]},{"a":[2]}]},{"b":[1]}]}"#, #"{"a":2}"#, true, .fits),
    .init("$or in a list", #"{"l":{"$or":[{"a":[1]},{"b":[1]}]}}"#, #"{"l":[{"a":2},{"b":1}]}"#, true, .fits),
    .init(
      "$or, with the rest of a member", #"{"a":["x"],"$or":[{"b":["y"]},{"c":[1]}]}"#, #"{"a":"x","c":1}"#, true, .fits),
    .init("a name that stands twice: the last", #"{"a":["x"]}"#, #"{"a":"y","a":"x"}"#, true, .unknown),
    .init("a name that stands twice: the first", #"{"a":["y"]}"#, #"{"a":"y","a":"x"}"#, true, .unknown),
    .init("a name in another case", #"{"a":["x"]}"#, #"{"A":"x"}"#, false, .unknown),
    .init("an escape in a name of the message", #"{"a":["x"]}"#, #"{"\u0061":"x"}"#, true, .fits),
    .init("a character of two escapes", #"{"a":["😀"]}"#, #"{"a":"\uD83D\ude00"}"#, true, .fits),
    .init("prefix beyond ASCII", #"{"a":[{"prefix":"日"}]}"#, #"{"a":"日本"}"#, true, .fits),
    .init("prefix in lists in each other", #"{"a":[{"prefix":"a"}]}"#, #"{"a":["b",["c",["ab"]]]}"#, true, .fits),
    .init("without case, Greek", #"{"a":[{"equals-ignore-case":"ΣΊΣΥΦΟΣ"}]}"#, #"{"a":"σίσυφος"}"#, true, .unknown),
    .init("without case, digits", #"{"a":[{"equals-ignore-case":"a1-B"}]}"#, #"{"a":"A1-b"}"#, true, .fits),
    .init("an empty text", #"{"a":[""]}"#, #"{"a":""}"#, true, .fits),
    .init("a number that is near", #"{"a":[5]}"#, #"{"a":5.0000001}"#, false, .no),
    .init("a number of twenty digits", #"{"a":[12345678901234567890]}"#, #"{"a":12345678901234567890}"#, true, .fits),
    .init("a number with an exponent", #"{"a":[{"numeric":["=",10000000000]}]}"#, #"{"a":1e10}"#, true, .fits),
    .init("a negative zero", #"{"a":[0]}"#, #"{"a":-0.0}"#, true, .fits),
    .init("numbers in a list", #"{"a":[{"numeric":[">",0,"<",10]}]}"#, #"{"a":[100,5,200]}"#, true, .fits),
    .init("anything but numbers", #"{"a":[{"anything-but":[1,2.0]}]}"#, #"{"a":2}"#, false, .no),
    .init("anything but a number, a text", #"{"a":[{"anything-but":1}]}"#, #"{"a":"x"}"#, true, .unknown),
    .init("anything but a text, null", #"{"a":[{"anything-but":"x"}]}"#, #"{"a":null}"#, true, .unknown),
    .init("anything but a text, true", #"{"a":[{"anything-but":"x"}]}"#, #"{"a":true}"#, true, .unknown),
    .init("anything but a text, an object", #"{"a":[{"anything-but":"x"}]}"#, #"{"a":{"b":1}}"#, false, .unknown),
    .init("anything but, in a list of that alone", #"{"a":[{"anything-but":"x"}]}"#, #"{"a":["x"]}"#, false, .no),
    .init("exists, an empty object", #"{"a":[{"exists":true}]}"#, #"{"a":{}}"#, false, .unknown),
    .init("exists, a list", #"{"a":[{"exists":true}]}"#, #"{"a":["x"]}"#, true, .fits),
    .init("null, an empty list", #"{"a":[null]}"#, #"{"a":[]}"#, false, .no),
    .init("a list of several kinds", #"{"a":{"b":["x"]}}"#, #"{"a":[1,"t",{"b":"x"}]}"#, true, .fits),
    .init(
      "members of objects in two lists in a list", #"{"a":{"b":[1],"c":[2]}}"#, #"{"a":[[{"b":1}],[{"c":2}]]}"#, false,
      .no),
    .init(
      "three members in one element, the last", #"{"l":{"a":[1],"b":[2],"c":[3]}}"#,
      #"{"l":[{"a":1},{"b":2},{"a":1,"b":2,"c":3}]}"#, true, .fits),
    .init(
      "three members in three elements", #"{"l":{"a":[1],"b":[2],"c":[3]}}"#, #"{"l":[{"a":1},{"b":2},{"c":3}]}"#,
      false, .no),
    .init(
      "a member and an object of one element", #"{"l":{"a":[1],"o":{"b":[2]}}}"#,
      #"{"l":[{"a":1},{"o":{"b":2}},{"a":1,"o":{"b":2}}]}"#, true, .fits),
    .init(
      "a member and an object of two elements", #"{"l":{"a":[1],"o":{"b":[2]}}}"#, #"{"l":[{"a":1},{"o":{"b":2}}]}"#,
      false, .no),
    .init(
      "an element and a member beside the list", #"{"l":{"a":[1]},"b":[2]}"#, #"{"l":[{"a":3},{"a":1}],"b":2}"#, true,
      .fits),
    .init("exists below an empty list", #"{"l":{"a":[{"exists":true}]}}"#, #"{"l":[]}"#, false, .no),
  ]

  @Test(arguments: cases) func `Where they match, we do not say no`(_ one: Case) {
    #expect(one.matches ? one.answer > .no : one.answer < .fits)
    AnswerCase(one.pattern, payload: one.payload, one.answer).check()
  }

  @Test func `In five places they match and we say no, or refuse`() {
    AnswerCase(#"{"a":[{"exists":false}]}"#, payload: #"{"a":{"b":1}}"#, .no).check()
    AnswerCase(#"{"a":[{"exists":false}]}"#, payload: #"{"a":[[],{}]}"#, .no).check()
    AnswerCase(#"{"a":["x"],"$or":[{"a":["y"]},{"b":[1]}]}"#, payload: #"{"a":"y"}"#, .no).check()
    AnswerCase(#"{"$or":[{"a":["y"]},{"b":[1]}],"a":["x"]}"#, payload: #"{"a":"x"}"#, .no).check()
    AnswerCase(#"{"a.b":["x"]}"#, payload: #"{"a":{"b":"x"}}"#, .no).check()
    AnswerCase(#"{"a":["2001:db8:0:0:0:0:0:1"]}"#, payload: #"{"a":"2001:db8::1"}"#, .no).check()
    // There, $or with a list of other things than objects is the name of a member.
    var twins = ConditionTwins()
    let (words, outcome) = twins.disagreement(
      #"{"payload":{"$or":["x"]}}"#, ["payload": #"{"$or":"x"}"#], identity: true)
    #expect(words == nil)
    #expect(outcome == .refused)
  }

  @Test func `In two places they do not match and we are asked`() {
    AnswerCase(#"{"a":[{"exists":true}]}"#, payload: #"{"a":{"b":1}}"#, .fits).check()
    AnswerCase(#"{"a":[{"exists":true}]}"#, payload: #"{"a":[{}]}"#, .fits).check()
    AnswerCase(#"{"l":{"b":[{"exists":false}]}}"#, payload: #"{"l":[{"b":1},{"c":2}]}"#, .fits).check()
  }

  /// Their further forms are refused, not read otherwise.
  @Test(arguments: [
    #"[{"wildcard":"a*"}]"#, #"[{"cidr":"10.0.0.0/24"}]"#, #"[{"prefix":{"equals-ignore-case":"a"}}]"#,
    #"[{"suffix":{"equals-ignore-case":"a"}}]"#, #"[{"anything-but":{"suffix":"a"}}]"#,
    #"[{"anything-but":{"equals-ignore-case":"a"}}]"#, #"[{"anything-but":{"wildcard":"*a"}}]"#,
    #"[{"anything-but":{"prefix":["a","b"]}}]"#, #"[{"shellstyle":"a*"}]"#, #"[{"regex":"a+"}]"#,
  ]) func `Further forms are refused`(_ alternatives: String) {
    var twins = ConditionTwins()
    let (words, outcome) = twins.disagreement(#"{"payload":{"a":\#(alternatives)}}"#, [:], identity: true)
    #expect(words == nil)
    #expect(outcome == .refused)
  }
}
