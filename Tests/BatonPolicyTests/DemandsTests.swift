import Testing

@testable import BatonPolicy

/// What rules ask of arguments: `words`, `inside`, `contains`. Each is tried with a rule that allows, which must fit
/// certainly, and with one that refuses, which fits unless it certainly does not.
@Suite struct DemandsTests {
  /// `fits`, `no` or `unknown`: what a demand says of arguments.
  private func answer(_ demand: String, _ arguments: String, allows: Bool = true) throws -> String {
    let refuses = try judged("tool: [x], \(demand), refuse: no", call("x", arguments)) == "refuse"
    guard allows else { return refuses ? "fits or unknown" : "no" }
    let isAllowed = try judged("tool: [x], \(demand), allow: true", call("x", arguments)) == "allow"
    return isAllowed ? refuses ? "fits" : "allowed, and not refused" : refuses ? "unknown" : "no"
  }

  private func command(_ text: String) -> String { "{\"command\":\(quoted(text))}" }

  // MARK: words

  @Test(arguments: [
    ("[[git, status]]", "git status", "fits"), ("[[git, status]]", "git  status", "fits"),
    ("[[git, status]]", "git status -s", "no"), ("[[git, status]]", "git", "no"),
    ("[[git, status]]", "git statu", "no"),
    ("[[ls], [git, log]]", "git log", "fits"), ("[[git, '*']]", "git log", "fits"), ("[[git, '*']]", "git", "no"),
    ("[[git, '*']]", "git log x", "no"), ("[[git, '*', x]]", "git -c x", "no"),
    ("[[git, '-*', x]]", "git -c x", "fits"),
    ("[[git, '-*']]", "git log", "fits"), ("[['*']]", "ls", "fits"), ("[['*']]", "-ls", "no"),
    ("[[git, diff, '...']]", "git diff", "fits"), ("[[git, diff, '...']]", "git diff a b/c.txt", "fits"),
    ("[[git, diff, '...']]", "git diff a -o", "no"), ("[[git, diff, '...']]", "git diff --output=x", "no"),
    ("[[ls, '-...']]", "ls -la /tmp", "fits"), ("[[ls, '-...']]", "ls", "fits"), ("[[ls, '-...']]", "lsof", "no"),
    ("[[make, A=1]]", "make A=1", "fits"),
  ])
  func commandsAreComparedWordByWord(_ words: String, _ given: String, _ expected: String) throws {
    #expect(try answer("words: \(words)", command(given)) == expected)
  }

  /// What a shell might make more of than these words is in doubt, whatever stands in it.
  @Test func anythingButPlainWordsIsInDoubt() throws {
    let plain = "git status"
    #expect(try answer("words: [[git, status]]", command(plain)) == "fits")
    for sign in 0..<UInt8(128) where !"ABCXYZabcxyz0189_./:,+@=- ".utf8.contains(sign) {
      let character = String(UnicodeScalar(sign))
      if character.allSatisfy({ $0.isLetter || $0.isNumber }) { continue }
      let texts = [
        "git\(character)status", "git status\(character)", "\(character)git status", "git \(character) status",
      ]
      for text in texts {
        #expect(try answer("words: [[git, status], ['*', '-...']]", command(text)) == "unknown", "\(sign): \(text)")
      }
    }
    let others = [
      "", " ", " git status", "git status ", "A=1 git status", "git =status", "git stätus", "git status\u{a0}",
    ]
    for text in others {
      #expect(try answer("words: [[git, status], ['*', '-...']]", command(text)) == "unknown", "\(text)")
    }
  }

  @Test(arguments: [
    (#"{}"#, "no"), (#"{"command":["git","status"]}"#, "unknown"), (#"{"command":null}"#, "unknown"),
    (#"{"command":7}"#, "unknown"), (#"{"command":"git status","command":"rm x"}"#, "unknown"),
    (#"{"command":"git status","Command":"rm x"}"#, "unknown"), (#"{"command":"git\u0020status"}"#, "fits"),
    (#"{"c\u006fmmand":"git status"}"#, "fits"), (#"{"command":"git status\u0000"}"#, "unknown"),
    (#""{\"command\":\"git status\"}""#, "unknown"), (#"[{"command":"git status"}]"#, "unknown"), ("null", "no"),
  ])
  func theCommandIsOneText(_ arguments: String, _ expected: String) throws {
    #expect(try answer("words: [[git, status]]", arguments) == expected)
  }

  // MARK: inside

  @Test(arguments: [
    ("/home/ann/app", "fits"), ("/home/ann/app/a.txt", "fits"), ("/home/ann/app/.git/config", "fits"),
    ("/home/ann/app/..x", "fits"), ("/home/ann", "no"), ("/home/ann/apple", "no"), ("/etc/passwd", "no"), ("/", "no"),
    ("/home/ann/app/", "unknown"), ("/home/ann/app/../b", "unknown"), ("/home/ann/app/./b", "unknown"),
    ("/home/ann/app//b", "unknown"), ("//home/ann/app", "unknown"), ("home/ann/app", "unknown"), ("", "unknown"),
    ("~/app", "unknown"), ("/home/ann/app\u{0}", "unknown"), ("/Home/Ann/App/a.txt", "unknown"), ("/etc/..", "unknown"),
    ("/srv/.. ", "unknown"), ("/srv/..\t", "unknown"), ("/srv ", "unknown"), ("/srv/a b", "fits"),
    ("/ſrv/a", "unknown"), ("/s\u{200c}rv/a", "unknown"), ("/srv/é", "fits"), ("/śrv/a", "no"),
  ])
  func aPathLiesInAFolderByItsText(_ path: String, _ expected: String) throws {
    #expect(try answer("inside: { p: [/home/ann/app, /srv] }", "{\"p\":\(quoted(path))}") == expected)
  }

  /// Some disks take these for one name.
  @Test(arguments: [("caf\u{e9}", "cafe\u{301}"), ("CAF\u{c9}", "caf\u{e9}"), ("\u{212a}", "k"), ("straße", "STRASSE")])
  func aNameInAnotherSpellingIsInDoubt(_ name: String, _ other: String) throws {
    #expect(try answer("inside: { p: [/srv/\(name)] }", "{\"p\":\(quoted("/srv/\(other)/a"))}") == "unknown")
    #expect(try answer("inside: { p: [/srv/\(name)] }", "{\"p\":\(quoted("/srv/\(name)/a"))}") == "fits")
  }

  @Test func aPathThatIsNotToldIsInDoubt() throws {
    for arguments in ["{}", #"{"p":null}"#, #"{"p":["/srv/a"]}"#, #"{"p":"/srv/a","p":"/srv/b"}"#, #"{"p":{}}"#, "[]"] {
      #expect(try answer("inside: { p: [/srv] }", arguments) == "unknown", "\(arguments)")
    }
    #expect(try answer("inside: { p: [/] }", #"{"p":"/any"}"#) == "fits")
    #expect(try answer("inside: { p: [/a], q: [/b] }", #"{"p":"/a/1","q":"/b/1"}"#) == "fits")
    #expect(try answer("inside: { p: [/a], q: [/b] }", #"{"p":"/a/1","q":"/a/1"}"#) == "no")
  }

  // MARK: contains

  @Test(arguments: [
    (#"{"c":"sudo rm -rf /"}"#, true), (#"{"c":"rm -r"}"#, false), (#"{"c":"RM -RF"}"#, false),
    (#"{"c":"rm \u002drf"}"#, true), (#"{"c":["a","rm -rf x"]}"#, true), (#"{"c":["rm","-rf"]}"#, false),
    (#"{"c":[]}"#, false), (#"{}"#, false),
    // Of another kind, or in doubt.
    (#"{"c":["a",7]}"#, true), (#"{"c":[["rm -rf"]]}"#, true), (#"{"c":7}"#, true), (#"{"c":null}"#, true),
    (#"{"c":{}}"#, true), (#"{"c":"a","c":"b"}"#, true), (#"{"c":"a","C":"b"}"#, true), (#"{"c":"a\u0000b"}"#, true),
    (#""{}""#, true), (#"[]"#, true),
  ])
  func aTextIsFoundByteForByte(_ arguments: String, _ isRefused: Bool) throws {
    let demand = "contains: { c: ['rm -rf', mkfs] }"
    #expect(try answer(demand, arguments, allows: false) == (isRefused ? "fits or unknown" : "no"))
  }
}
