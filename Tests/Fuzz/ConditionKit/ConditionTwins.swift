package import BatonCore
package import BatonModel

/// What answers conditions in the core, beside what answers them in the model.
package struct ConditionTwins: ~Copyable {
  private var evaluator = Evaluator()
  /// The links of a chain: their conditions come and go, and have their names together.
  private var chain = ChainNames(seed: 1)
  private var links: [(condition: Condition, numbers: [UInt32])] = []
  private static let mostLinks = 24
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
      let (core, ofLink) = core(read, fault?.alter(message) ?? message)
      if core != ofLink { return ("the core says \(core), and \(ofLink) in a chain", .answered(core)) }
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

  /// The numbers of a condition's names in the chain.
  private mutating func join(_ condition: Condition) -> [UInt32] {
    if let last = links.last, last.condition.spelling == condition.spelling { return last.numbers }
    if links.count == Self.mostLinks {
      let first = links.removeFirst()
      chain.remove(first.condition, first.numbers)
    }
    links.append((condition, chain.insert(condition)))
    return links[links.count - 1].numbers
  }

  /// The answer to a condition alone, and to that of a link.
  private mutating func core(_ condition: Condition, _ message: [String: String]) -> (alone: String, ofLink: String) {
    let numbers = join(condition)
    let all = Condition.MessagePart.allCases.map { Array((message["\($0)"] ?? "").utf8) }
    // The parts stand beside each other, so that what is read outside of one is seen.
    let joined = all.reduce([]) { $0 + $1 + Array("\"".utf8) }
    let (alone, ofLink) = joined.withUnsafeBytes { bytes -> (Answer, Answer) in
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
      let alone = evaluator.answer(condition, to: seen)
      let places = evaluator.findAll(chain, in: seen)
      return (alone, evaluator.answer(condition, numbers, to: seen, found: places))
    }
    return (word(of: alone), word(of: ofLink))
  }

  private func word(of answer: Answer) -> String {
    switch fault {
    case .doubtIsNo where answer == .unknown: "no"
    case .doubtFits where answer == .unknown: "fits"
    default: "\(answer)"
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
