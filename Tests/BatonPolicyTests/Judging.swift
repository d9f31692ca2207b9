import BatonConfig

@testable import BatonPolicy

/// The rules of a file; what is wrong with it is thrown.
func rules(_ text: String) throws -> Rules { try Rules.read(Array(text.utf8), path: "rules.yaml") }

/// What rules say of a call: `allow`, `ask`, `refuse WORDS`, with the number of the rule; `none` if no rule fits.
func judged(_ rules: Rules, _ payload: String, isDoubtful: Bool = false) -> String {
  var judge = Judge(rules)
  let decision = judge.decide(Array(payload.utf8), isDoubtful: isDoubtful)
  guard let rule = decision.rule else { return "none" }
  switch decision.verdict {
  case .allow: return "allow \(rule)"
  case .ask: return "ask \(rule)"
  case .refuse(let words): return "refuse \(rule) \(words)"
  }
}

/// The same for one rule, whatever its number is.
func judged(_ rule: String, _ payload: String) throws -> String {
  let said = judged(try rules("rules:\n  - { \(rule) }\n"), payload)
  return said == "none" ? said : String(said.prefix { $0 != " " })
}

/// The payload of a call.
func call(_ tool: String, _ arguments: String = "{}", more: String = "") -> String {
  "{\"agent\":\"claude\",\"tool\":\"\(tool)\"\(more),\"arguments\":\(arguments)}"
}

/// What is wrong with a file: `LINE:COLUMN words`.
func mistakes(_ text: String) -> [String] {
  do throws(ConfigMistakes) {
    _ = try Rules.read(Array(text.utf8), path: "rules.yaml")
    return []
  } catch {
    return error.all.map { "\($0.place.map { "\($0)" } ?? "") \($0.message)" }
  }
}
