@testable import BatonCore

/// Values of each member, good and bad, in the lines of the ops that take it (contract, sections 3 to 8).
enum LineCases {
  /// The members of a line besides the one that is tested.
  private static let bases: [(op: String, rest: String, members: [String])] = [
    ("send", #""topic":"t""#, ["payload", "meta", "chain", "mode", "timeout_ms", "key", "trace", "reply", "id"]),
    ("send", "", ["topic"]),
    ("send", #""topic":"t""#, ["durable", "once", "tries", "retry_ms", "expires_ms", "delay_ms"]),
    ("stored", "", ["stored"]), ("resend", "", ["stored"]), ("discard", "", ["stored"]), ("dead", "", ["chain"]),
    ("insert", #""handler":"h""#, ["chain", "accepts", "at", "rank", "timeout_ms", "window"]),
    ("insert", #""handler":"h""#, ["on_failure", "share", "hold_ms", "required", "shadow"]),
    ("insert", #""handler":"h""#, ["before", "after"]), ("insert", "", ["handler"]),
    ("replace", #""handler":"h""#, ["as"]), ("remove", #""handler":"h""#, ["chain"]),
    ("mount", #""on":"c""#, ["chain", "accepts", "at", "before", "after", "rank"]), ("mount", "", ["on"]),
    ("unmount", #""on":"c""#, ["chain"]), ("unmount", "", ["on"]),
    ("subscribe", "", ["topics"]), ("unsubscribe", "", ["topics"]),
    ("broadcast", #""topic":"t""#, ["payload", "meta", "echo", "via", "reply", "id"]),
    ("broadcast", "", ["topic"]), ("handled", "", ["payload", "message"]),
    ("continue", "", ["payload", "message"]),
    ("reject", "", ["message", "code"]), ("failed", "", ["message"]),
    ("hello", "", ["name", "token", "heartbeat_ms", "id"]), ("inspect", "", ["chain", "server", "id"]),
    ("explain", #""topic":"t""#, ["chain", "id"]), ("explain", "", ["topic"]),
  ]

  private static let anything = ["1", "-0.5e+9", "\"\"", #""\u0041""#, "null", "true", "[]", "{}", #"{"a":1,"a":[2]}"#]
  private static let word = String(repeating: "x", count: 64)
  private static let text = String(repeating: "x", count: 1024)
  private static let texts = ["\"\"", "\"a\"", #""\n\u00e9""#, "\"\(text)\"", #""\u0041\#(text.dropFirst())""#]
  private static let list = (1...64).map { "\"p\($0)\"" }.joined(separator: ",")

  static let good: [String: [String]] = [
    "payload": anything, "meta": anything,
    "id": [
      "\"\"", "\"\(word)\(word)\"", #""\u0041\#(word)\#(word.dropFirst())""#, "0", "-1", "9223372036854775807",
      "-9223372036854775808", #""\"\\\u0000é""#,
    ],
    "topic": ["\"door.open\"", #""\u0064oor""#, #""a.$b""#, #""a\"b""#, "\"京\""],
    "chain": names, "handler": names, "as": names, "before": names, "after": names, "name": names, "on": names,
    "via": names,
    "mode": ["\"first\"", "\"all\"", "\"notify\"", #""\u0061ll""#], "key": ["\"k\"", #""\u0020é""#, "\"\(longest)\""],
    "timeout_ms": ends(MemberRange.timeoutMilliseconds), "heartbeat_ms": ends(MemberRange.heartbeatMilliseconds),
    "hold_ms": ["-0", "1"] + ends(MemberRange.holdMilliseconds), "window": ends(MemberRange.window), "trace": flags,
    "reply": flags,
    "echo": flags, "durable": flags, "once": ["\"a\"", "\"\(word)\(word)\"", #""\u0041""#],
    "tries": ends(MemberRange.tries), "retry_ms": ends(MemberRange.retryMilliseconds),
    "expires_ms": ends(MemberRange.expiresMilliseconds), "delay_ms": ends(MemberRange.delayMilliseconds),
    "stored": ["\"k3f9m2q8w1x7c5z4-1042\"", #""\u006b3f9m2q8w1x7c5z4-1""#, "\"0000000000000000-9999999999999999999\""],
    "share": flags, "required": flags, "shadow": flags, "server": flags,
    "at": ["\"front\"", "\"back\"", #""b\u0061ck""#], "on_failure": policies,
    "rank": ["0", "-0.0", "1.5", "1e9", "-1000000000", "1e-400", "100000000000e-2"],
    "accepts": patterns, "topics": patterns, "message": texts,
    "code": texts + ["0", "-1", "9223372036854775807"],
  ]
  /// The least and the largest of a range of the contract's table, and what is just beyond. That the table is right, transcripts
  /// and the model say.
  private static func ends(_ range: ClosedRange<Int64>) -> [String] { ["\(range.lowerBound)", "\(range.upperBound)"] }
  private static func beyond(_ range: ClosedRange<Int64>) -> [String] {
    ["\(range.lowerBound - 1)", "\(range.upperBound + 1)"]
  }
  private static let names = ["\"a\"", "\"A-Z_0.9\"", "\"\(word)\"", #""\u0061""#]
  private static let flags = ["true", "false"]
  private static let longest = String(repeating: "k", count: 255)
  private static let policies = [
    "\"continue\"", "\"stop\"", #""st\u006fp""#, "{}", #"{"timeout":"stop"}"#,
    #"{ "timeout" : "continue","disconnect":"stop","failed":"stop","overload":"stop","break\u0065r":"stop" }"#,
  ]
  private static let patterns = [#"["a"]"#, #"[ "*" , ">" ]"#, "[\(list)]", #"["\u002a","a.\u003e"]"#, #"["a","a"]"#]

  /// Values, and the code with which each is refused.
  static let bad: [String: [String: String]] = [
    "id": refused(
      "bad_member",
      notText + [
        "1.0", "1e3", "9223372036854775808", "-9223372036854775809", "\"\(word)\(word)x\"",
        "\"\(word)\(word.dropFirst())é\"",
      ]),
    "topic": refused("bad_member", notText + ["1"]).merging(
      refused(
        "bad_topic",
        [
          "\"\"", "\"a..b\"", "\"*\"", "\"a.>\"", #""$a""#, #""\u0024a""#, #""a\u0020b""#, "\"a b\"",
          "\"\(word)\(word)\(word)\(word)\"",
        ])
    ) { $1 },
    "chain": badNames, "handler": badNames, "as": badNames, "before": badNames, "after": badNames, "name": badNames,
    "on": badNames, "via": badNames,
    "mode": refused("bad_member", notText + ["1", "\"one\"", "\"\"", "\"ALL\"", #""all\u0000""#]),
    "timeout_ms": refused(
      "bad_member",
      notNumber + beyond(MemberRange.timeoutMilliseconds) + ["-1", "99999999999999999999", "1.0", "1e3"]),
    "heartbeat_ms": refused("bad_member", notNumber + beyond(MemberRange.heartbeatMilliseconds) + ["0", "100.0"]),
    "hold_ms": refused("bad_member", notNumber + beyond(MemberRange.holdMilliseconds) + ["0.0"]),
    "window": refused("bad_member", notNumber + beyond(MemberRange.window) + ["-1", "1.5"]),
    "trace": refused("bad_member", notFlag), "share": refused("bad_member", notFlag),
    "required": refused("bad_member", notFlag), "shadow": refused("bad_member", notFlag),
    "server": refused("bad_member", notFlag),
    "durable": refused("bad_member", notFlag),
    "once": refused("bad_member", notText + ["1", "\"\"", "\"\(word)\(word)x\""]),
    "tries": refused("bad_member", notNumber + beyond(MemberRange.tries) + ["-1", "1.0"]),
    "retry_ms": refused("bad_member", notNumber + beyond(MemberRange.retryMilliseconds)),
    "expires_ms": refused("bad_member", notNumber + beyond(MemberRange.expiresMilliseconds)),
    "delay_ms": refused("bad_member", notNumber + beyond(MemberRange.delayMilliseconds)),
    "stored": refused(
      "bad_member",
      notText + [
        "1", "\"\"", "\"k3f9m2q8w1x7c5z4\"", "\"k3f9m2q8w1x7c5z4-\"", "\"k3f9m2q8w1x7c5z4-01\"",
        "\"K3f9m2q8w1x7c5z4-1\"",
        "\"k3f9m2q8w1x7c5z4-1a\"", "\"0000000000000000-100000000000000000000\"",
      ]),
    "reply": refused("bad_member", notFlag), "echo": refused("bad_member", notFlag),
    "at": refused("bad_member", notText + ["1", "\"middle\"", "\"\""]),
    "on_failure": refused(
      "bad_member",
      ["null", "1", "[]", "\"go\"", "\"\"", #"{"timeout":"go"}"#, #"{"timeout":true}"#, #"{"failed":{}}"#]
    ).merging(refused("unknown_member", [#"{"timeouts":"stop"}"#, #"{"":"stop"}"#, #"{"rejected":1}"#])) { $1 }
      .merging(refused("duplicate_member", [#"{"failed":"stop","f\u0061iled":"stop"}"#])) { $1 },
    "rank": refused("bad_member", notNumber + ["1e10", "1000000000.1", "-1000000001", "1e999", "-1e999"]),
    "accepts": badPatterns, "topics": badPatterns,
    "key": refused(
      "bad_member", ["1", "null", "\"\"", "\"\(longest)k\"", #""a\u0000""#, #""\u001f""#, #""\u007f""#, #""\u009f""#]),
    "token": refused("bad_member", ["\"t\"", "1"]),
    "message": refused("bad_member", notText + ["1", "\"\(text)x\"", "\"\(text.dropFirst())é\""]),
    "code": refused("bad_member", notText + ["1.0", "9223372036854775808", "\"\(text)x\""]),
  ]
  private static let notText = ["null", "true", "[]", "{}", "[\"a\"]"]
  private static let notNumber = ["null", "true", "[]", "{}", "\"1\""]
  private static let notFlag = ["null", "1", "0", "\"true\"", "[]", "{}"]
  private static let badNames = refused("bad_member", notText + ["1"]).merging(
    refused("bad_name", ["\"\"", "\"a b\"", "\"é\"", "\"\(word)x\"", #""\u0000""#])
  ) { $1 }
  private static let badPatterns = refused(
    "bad_member",
    [
      "null", "1", "\"a\"", "{}", "[]", "[1]", "[null]", "[[]]",
      "[\"a\",{}]", "[\(list),\"x\"]",
    ]
  ).merging(
    refused("bad_pattern", [#"[""]"#, #"["a","b."]"#, #"["a.>.b"]"#, #"["a*"]"#, #"["\u003e.a"]"#])
  ) { $1 }

  private static func refused(_ code: String, _ values: [String]) -> [String: String] {
    Dictionary(values.map { ($0, code) }) { $1 }
  }

  struct Case: Sendable {
    var line: String
    /// The code with which it is refused; nil if the value is right there.
    var code: String?
  }

  /// Every good and bad value in a line of each op that takes the member, in front of and behind the others.
  static let all: [Case] = bases.flatMap { base in
    base.members.flatMap { member in
      let good = (good[member] ?? []).map { ($0, String?.none) }
      let bad = (bad[member] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, String?.some($0.value)) }
      return (good + bad).flatMap { value, code in lines(base.op, base.rest, "\"\(member)\":\(value)", code) }
    }
  }

  private static func lines(_ op: String, _ rest: String, _ member: String, _ code: String?) -> [Case] {
    let others = [#""op":"\#(op)""#, rest].filter { !$0.isEmpty }
    return [others + [member], [member] + others].map { Case(line: "{\($0.joined(separator: ","))}", code: code) }
  }
}
