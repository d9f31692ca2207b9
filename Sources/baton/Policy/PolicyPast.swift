import ArgumentParser
import BatonClient
import BatonPolicy
import BatonRecord

/// `baton policy --record`: what rules would have decided, beside what a link did decide.
struct PolicyPast {
  private let rules: Rules
  private let chain: String
  private let link: String

  init(_ rules: Rules, chain: String, link: String) { (self.rules, self.chain, self.link) = (rules, chain, link) }

  /// Reads the record, and tells. Ends with exit code 1 if something would be decided otherwise.
  func run(_ folder: String, json: Bool) throws {
    var judge = Judge(rules)
    var changes = DecisionChanges()
    try RecordCommand.telling {
      try RecordReader(RecordFolder(folder)).each { line, contents in
        guard line.kind == "end", let asked = AskedStep(line, contents, chain: chain, link: link) else { return true }
        switch asked.payload {
        case .failure(let why): changes.leaveOut(why.words)
        case .success(let payload):
          let decision = judge.decide(payload, isDoubtful: asked.isDoubtful)
          changes.compare(asked.outcome, decision.verdict.outcome, n: line.n)
        }
        return true
      }
    }
    if json { try put(json: changes.json) } else { for line in changes.lines { try put(line.displaySafe) } }
    if changes.changed > 0 { throw ExitCode.failure }
  }
}

extension Rule.Verdict {
  /// As a step has it.
  fileprivate var outcome: String {
    switch self {
    case .allow: "handled"
    case .ask: "continue"
    case .refuse: "reject"
    }
  }
}
