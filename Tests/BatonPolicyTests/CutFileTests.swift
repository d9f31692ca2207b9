import Testing

@testable import BatonPolicy

/// A file that was cut off is never wider than the whole one: it is cut behind each of its bytes, and each question that it
/// allows, and each that it would ask somebody about, the whole file answers so, too.
@Suite struct CutFileTests {
  private static let flow = """
    rules:
      - { tool: [Read, view], inside: { file_path: [/home/ann/app] }, allow: true }
      - { tool: [Bash, Shell], words: [[git, status], [git, diff, '...'], [ls, '-...']], allow: true }
      - { tool: ['*'], contains: { command: ['rm -rf', mkfs] }, refuse: do not delete trees }
      - { server: [github], tool: [{ prefix: get_ }], allow: true }
      - { tool: [Pay], when: { payload: { arguments: { amount: [{ numeric: ['<', 100] }] } } }, allow: true }
      - { tool: [Bash, Edit, Write], ask: true }

    """
  /// The same in lines, where a cut may look like the end of a rule.
  private static let lines = """
    # the rules
    rules:
    - agent: [claude]
      tool:
      - Read
      - ReadAll
      inside:
        file_path:
        - /home/ann/app
        - /home/ann/apple
      allow: true   # reading
    - tool: [Bash]
      words:
      - [git, status]
      - [git, diff, '...']
      - [ls, '-...']
      allow: true
    - tool: ['*']
      contains:
        command: ['rm -rf', mkfs]
      refuse: do not delete trees
    - server:
      - github
      tool: [prefix: get_]
      allow: true
    - tool: [Pay]
      when:
        payload:
          arguments:
            amount: [numeric: ['<', 100]]
      allow: true
    - tool: [Bash, Edit, Write]
      ask: true

    """
  private static let questions: [String] =
    ["Read", "ReadAll", "Re", "view", "Bash", "Shell", "Edit", "Write", "Pay", "get_x", "x"].flatMap { tool in
      [
        #"{}"#, #"{"file_path":"/home/ann/app/a"}"#, #"{"file_path":"/home/ann/a"}"#, #"{"file_path":"/home/x"}"#,
        #"{"command":"git status"}"#, #"{"command":"git diff a"}"#, #"{"command":"git diff -o"}"#,
        #"{"command":"git"}"#, #"{"command":"ls -l"}"#, #"{"command":"rm -rf /"}"#, #"{"command":"rm -r"}"#,
        #"{"amount":5}"#, #"{"amount":500}"#,
      ].flatMap { arguments in
        ["", #","server":"github""#, #","server":"g""#].map { call(tool, arguments, more: $0) }
      }
    }

  @Test(arguments: [flow, lines])
  func aCutFileIsNoWider(_ text: String) throws {
    let whole = try rules(text)
    let bytes = Array(text.utf8)
    let expected = Self.questions.map { judged(whole, $0) }
    var read = 0
    for count in 0..<bytes.count {
      guard let cut = try? Rules.read(Array(bytes[..<count]), path: "rules.yaml") else { continue }
      read += 1
      for (question, before) in zip(Self.questions, expected) {
        let said = judged(cut, question)
        let isSame = said == before || said == "none"
        // The words of a refusal may be cut off.
        #expect(isSame || said.hasPrefix("refuse"), "cut behind byte \(count): \(question): \(said)")
      }
    }
    // Some cuts leave a file that is right: those between rules.
    #expect(read > 5)
    #expect(Set(expected.map { $0.prefix(6) }).count > 3)
  }
}
