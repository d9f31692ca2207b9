import Testing

@testable import BatonPolicy

/// Mistakes in a file of rules: each with its place, and what was probably meant.
@Suite struct RulesReaderTests {
  @Test(arguments: [
    ("", ["1:1 the file is empty; it begins with rules:"]),
    ("rules:", ["1:7 rules is a list, and nothing stands here; begin each line with \"- \", or write [ ]"]),
    ("rule: []", ["1:1 the file has no key \"rule\"; did you mean \"rules\"?"]),
    (
      "rules: [{ tool: [a] }]",
      ["1:9 the rule decides nothing; end it with allow: true, ask: true or refuse: WORDS"]
    ),
    (
      "rules: [{ allow: true }]",
      ["1:9 a rule says which tools it is about; write tool: and their names, or tool: ['*'] for all"]
    ),
    ("rules: [{ tols: [a], allow: true }]", ["1:11 a rule has no key \"tols\"; did you mean \"tool\"?"]),
    ("rules: [{ tool: [a], deny: no }]", ["1:22 a rule has no key \"deny\"; did you mean \"refuse\"?"]),
    (
      "rules: [{ allow: true, tool: [a] }]",
      ["1:11 allow stands last in a rule: what stands behind it would be lost in a file that was cut off"]
    ),
    ("rules: [{ tool: [a], allow: true, ask: true }]", ["1:35 a rule decides once, and allow stands here already"]),
    ("rules: [{ tool: [a], allow: yes }]", ["1:29 allow is true or false, not \"yes\"; write true"]),
    (
      "rules: [{ tool: [a], ask: false }]",
      ["1:27 ask is true; to say no, write refuse: WORDS, or leave the rule out"]
    ),
    ("rules: [{ tool: [a], refuse: '' }]", ["1:30 refuse is empty; write a value, or leave the key out"]),
    (
      "rules: [{ tool: [a], refuse: true }]", ["1:30 refuse has the words that the agent gets; write refuse: WORDS"]
    ),
    ("rules: [{ agent: [Claude], tool: [a], ask: true }]", ["1:19 agents are written in small letters: claude"]),
    (
      "rules: [{ tool: [mcp__github__get], ask: true }]",
      ["1:18 a tool of an MCP server has its server beside it; write server: [github], tool: [get_issue]"]
    ),
    ("rules: [{ tool: [], allow: true }]", ["1:17 tool is an empty list, which nothing fits"]),
    (
      "rules: [{ tool: ['get_*'], allow: true }]",
      [
        "1:18 * stands alone here, for any; for a part of a name write { prefix: … } or { suffix: … }"
      ]
    ),
    (
      "rules: [{ tool: [{ prefix: a, suffix: b }], allow: true }]", ["1:18 write prefix or suffix, and not both"]
    ),
    (
      "rules: [{ tool: [{ infix: a }], allow: true }]",
      ["1:20 a part of a name has no key \"infix\"; its keys are: prefix, suffix"]
    ),
    (
      "rules: [{ tool: [a], contains: { c: [x] }, allow: true }]",
      ["1:22 contains cannot allow: what it looks for can be written in another way; use words or inside"]
    ),
    (
      "rules: [{ tool: [a], words: [git, status], allow: true }]",
      [
        "1:30 words is a list of commands, each of them a list: [[git, status]]",
        "1:35 words is a list of commands, each of them a list: [[git, status]]",
      ]
    ),
    ("rules: [{ tool: [a], words: [], allow: true }]", ["1:29 words is an empty list, which no command fits"]),
    ("rules: [{ tool: [a], words: [[]], allow: true }]", ["1:30 a command has at least one word"]),
    ("rules: [{ tool: [a], words: [['...']], allow: true }]", ["1:31 \"...\" stands last, behind a word"]),
    (
      "rules: [{ tool: [a], words: [[git, '...', x]], allow: true }]", ["1:36 \"...\" stands last, behind a word"]
    ),
    (
      "rules: [{ tool: [a], words: [[A=1, x]], allow: true }]",
      [
        "1:31 \"A=1\" is no plain word, and fits no command: a word has letters, digits and _ . / : , + @ = -, does not begin "
          + "with =, and the first one has no ="
      ]
    ),
    (
      "rules: [{ tool: [a], inside: { p: [app] }, allow: true }]",
      ["1:36 a folder is a whole path, from / on; \"app\" is none"]
    ),
    (
      "rules: [{ tool: [a], inside: { p: [/app/] }, allow: true }]",
      ["1:36 a folder is a whole path, without //, . and .., and without / at its end; \"/app/\" is none"]
    ),
    ("rules: [{ tool: [a], inside: {}, allow: true }]", ["1:30 inside names no argument; write { ARGUMENT: [ … ] }"]),
    ("rules: [{ tool: [a], contains: { c: [] }, ask: true }]", ["1:37 an empty list, which nothing fits"]),
    ("rules: [{ tool: [a], when: {}, allow: true }]", ["1:28 when asks nothing; leave it out"]),
    (
      "rules: [{ tool: [a], when: { topic: [x] }, allow: true }]",
      ["1:28 when: a rule sees the payload alone, and not topic"]
    ),
    (
      "rules: [{ tool: [a], when: { payload: { x: 1 } }, allow: true }]",
      ["1:28 when: payload.x: must be a list of alternatives, such as [1], or an object"]
    ),
    (
      "rules: [{ tool: [a], inside: { größe: [/a] }, allow: true }]",
      [
        "1:9 the rule asks what no condition can ask: payload.arguments[\"größe\"]: is a name beyond ASCII, which has several "
          + "spellings; look at another member"
      ]
    ),
    (
      "rules:\n  - { tool: [a], allow: true }\n  - x\n",
      ["3:5 a rule is a map, and a text stands here, as in KEY: VALUE"]
    ),
  ])
  func aMistakeIsToldWithItsPlace(_ text: String, _ expected: [String]) {
    #expect(mistakes(text) == expected)
  }

  @Test func allMistakesAreToldAtOnce() {
    #expect(mistakes("rules: [{ tool: [a] }, { allow: true }]").count == 2)
  }

  @Test func aFileHasAMebibyteAtMost() {
    let long = "rules: []\n#" + String(repeating: "x", count: Rules.mostBytes)
    #expect(mistakes(long).count == 1)
  }

  // MARK: Unreachable rules

  @Test(arguments: [
    ("{ tool: ['*'], allow: true }, { tool: [a], refuse: no }", ["2 behind [1]"]),
    ("{ tool: [a], allow: true }, { tool: [b], ask: true }, { tool: [b, a], refuse: no }", ["3 behind [1, 2]"]),
    ("{ tool: [a], allow: true }, { tool: [a, b], refuse: no }", []),
    ("{ tool: [{ prefix: get_ }], allow: true }, { tool: [get_x, { prefix: get_a }], ask: true }", ["2 behind [1]"]),
    ("{ tool: [{ suffix: _x }], allow: true }, { tool: [{ prefix: _x }], ask: true }", []),
    ("{ tool: ['*'], allow: true }, { server: [a], tool: [a], ask: true }", []),
    ("{ server: ['*'], tool: ['*'], allow: true }, { server: [a], tool: [a], ask: true }", ["2 behind [1]"]),
    ("{ agent: [claude], tool: [a], allow: true }, { tool: [a], ask: true }", []),
    ("{ tool: [a], allow: true }, { agent: [claude], tool: [a], ask: true }", ["2 behind [1]"]),
    ("{ tool: [a], words: [[ls]], allow: true }, { tool: [a], ask: true }", []),
    ("{ tool: [a], words: [[ls]], allow: true }, { tool: [a], words: [[ls]], allow: true }", ["2 behind [1]"]),
    // In doubt the first one does not fit, and the second one does.
    ("{ tool: [a], words: [[ls]], allow: true }, { tool: [a], words: [[ls]], ask: true }", []),
    (
      "{ tool: [a], inside: { p: [/a] }, ask: true }, { tool: [a], words: [[ls]], inside: { p: [/a] }, allow: true }",
      ["2 behind [1]"]
    ),
    ("{ tool: [a], contains: { p: [x] }, ask: true }, { tool: [a], contains: { p: [y] }, ask: true }", []),
  ])
  func rulesThatNothingReachesAreFound(_ list: String, _ expected: [String]) throws {
    let found = try rules("rules: [\(list)]").unreachable
    #expect(found.map { "\($0.rule) behind \($0.behind)" } == expected)
  }
}
