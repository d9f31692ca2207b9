package import BatonCore
package import BatonModel

/// What answers conditions in the core, beside what answers them in the model.
package struct ConditionTwins: ~Copyable {
  private var evaluator = Evaluator()
  private let broken: ConditionRule?
  private let fault: ConditionFaultAtTheDoor?

  package init(broken: ConditionRule? = nil, fault: ConditionFaultAtTheDoor? = nil) {
    (self.broken, self.fault) = (broken, fault)
  }

  package enum Outcome: Equatable { case refused, answered(String) }

  /// What they disagree about; nil if they agree. `outcome` is what the core found.
  package mutating func disagreement(
    _ condition: String, _ message: [String: String], identity: Bool
  ) -> (words: String?, outcome: Outcome) {
    let said = SaidCondition(SaidJSON(condition), identity: identity, broken: broken)
    switch read(condition, identity: identity) {
    case .failure(let refusal):
      guard said != nil else { return (nil, .refused) }
      return ("the core refuses what the model takes: \(refusal.words)", .refused)
    case .success(let read):
      var spelling = String(decoding: read.spelling, as: UTF8.self)
      if fault == .spellsNoEscapes { spelling.replace("\\", with: "") }
      guard let said else { return ("the core takes what the model refuses", .refused) }
      if spelling != said.spelling { return ("\(spelling) instead of \(said.spelling)", .refused) }
      let core = core(read, fault?.alter(message) ?? message)
      let model = said.answer(message.mapValues { SaidJSON($0) }, broken: broken).rawValue
      return (core == model ? nil : "the core says \(core), the model says \(model)", .answered(core))
    }
  }

  package func read(_ condition: String, identity: Bool) -> Result<Condition, ConditionFault> {
    let line = Array("\(condition)\n".utf8)
    return line.withUnsafeBytes { bytes in
      let text = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
      guard case .success(let value) = LoneValue.read(text, maximumDepth: 1000) else { fatalError(condition) }
      return Result { () throws(ConditionFault) in try Condition.read(value, in: text, identity: identity) }
    }
  }

  private mutating func core(_ condition: Condition, _ message: [String: String]) -> String {
    let all = Condition.MessagePart.allCases.map { Array((message["\($0)"] ?? "").utf8) }
    // The parts stand beside each other, so that what is read outside of one is seen.
    let joined = all.reduce([]) { $0 + $1 + Array("\"".utf8) }
    let found = joined.withUnsafeBytes { bytes -> Answer in
      var seen = SeenMessage()
      var start = 0
      for (part, text) in zip(Condition.MessagePart.allCases, all) {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes[start..<start + text.count])
        start += text.count + 1
        switch part {
        case .payload: seen.payload = bytes
        case .meta: seen.meta = bytes
        case .topic: seen.topic = bytes
        case .key: seen.key = bytes
        case .identity: seen.identity = bytes
        }
      }
      return evaluator.answer(condition, to: seen)
    }
    switch fault {
    case .doubtIsNo where found == .unknown: return "no"
    case .doubtFits where found == .unknown: return "fits"
    default: return "\(found)"
    }
  }
}

/// Faults that are planted where the core is asked.
package enum ConditionFaultAtTheDoor: String, CaseIterable {
  case doubtIsNo = "doubt-is-no"
  case doubtFits = "doubt-fits"
  case spellsNoEscapes = "spells-no-escapes"
  case noMeta = "no-meta"
  case keyForIdentity = "key-for-identity"
  case escapesResolved = "escapes-resolved"
  case caseLost = "case-lost"

  func alter(_ message: [String: String]) -> [String: String] {
    var message = message
    switch self {
    case .noMeta: message["meta"] = nil
    case .keyForIdentity: message["identity"] = message["key"]
    case .escapesResolved: message["payload"]?.replace("\\u0000", with: "")
    case .caseLost: message["payload"] = message["payload"]?.lowercased()
    default: break
    }
    return message
  }
}
