import ArgumentParser
import BatonClient
import BatonCore
import BatonPolicy
import BatonRecord

/// `baton policy --try`: what rules decide about questions.
struct PolicyTrial {
  private let rules: Rules
  private let json: Bool

  init(_ rules: Rules, json: Bool) { (self.rules, self.json) = (rules, json) }

  private static let mostBytes = 1 << 28

  /// Tells of each line of the file; `-` is standard input. Ends with the exit code for wrong input if a line is no JSON.
  func run(_ path: String) async throws {
    var judge = Judge(rules)
    var wrong = 0
    for (number, line) in try await lines(path).enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
      guard let payload = JSONText.value(line) else {
        talk("baton: line \(number + 1): this is no JSON: write one payload a line")
        wrong += 1
        continue
      }
      let decision = judge.decide(payload)
      if json { try put(json: decision.json(rules)) } else { try put(decision.line(rules)) }
    }
    if wrong > 0 { throw ExitCode.validationFailure }
  }

  private func lines(_ path: String) async throws -> [ArraySlice<UInt8>] {
    let bytes =
      path == "-"
      ? try await StandardInput.all()
      : try RecordCommand.telling { try RecordFolder.read(path, atMost: PolicyTrial.mostBytes) }
    return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }
}

extension Decision {
  /// `refuse`, `rule 3 of 5f2a91c0` and the words, with tabs between.
  fileprivate func line(_ rules: Rules) -> String {
    let rule = rule.map { "rule \($0) of \(rules.name)" } ?? "no rule of \(rules.name)"
    return tabbed([verdict.word, rule] + (verdict.words.map { [$0] } ?? []))
  }

  fileprivate func json(_ rules: Rules) -> String {
    let rule = rule.map { ",\"rule\":\($0)" } ?? ""
    let words = verdict.words.map { ",\"message\":\(Payload(text: $0).json)" } ?? ""
    return "{\"verdict\":\"\(verdict.word)\"\(rule),\"rules\":\"\(rules.name)\"\(words)}"
  }
}

extension Rule.Verdict {
  var word: String {
    switch self {
    case .allow: "allow"
    case .ask: "ask"
    case .refuse: "refuse"
    }
  }

  /// Why it is refused.
  var words: String? { if case .refuse(let words) = self { words } else { nil } }
}
