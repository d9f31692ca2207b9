internal import BatonCore

/// What rules say about a call.
package struct Decision: Sendable, Equatable {
  package let verdict: Rule.Verdict
  /// The number of the rule, from 1; nil if none fits.
  package let rule: Int?

  package init(_ verdict: Rule.Verdict, by rule: Int?) { (self.verdict, self.rule) = (verdict, rule) }

  /// What no rule allows.
  package static let unnamed = Decision(.refuse("no rule allows it"), by: nil)
}

/// Decides about calls by rules: the first rule that fits. It depends on the call alone.
package struct Judge: ~Copyable {
  package let rules: Rules
  private var evaluator = Evaluator()

  package init(_ rules: Rules) { self.rules = rules }

  /// What becomes of a call. `isDoubtful`: it is not known whether the call fits what its link asks of it.
  ///
  /// - Parameter payload: one JSON value without white space around it, which was found to be right; nil: nothing was sent.
  package mutating func decide(_ payload: [UInt8]?, isDoubtful: Bool = false) -> Decision {
    let rules = rules
    return Judge.decide(rules, payload ?? [], isDoubtful, &evaluator)
  }

  private static func decide(
    _ rules: Rules, _ payload: [UInt8], _ isDoubtful: Bool, _ evaluator: inout Evaluator
  ) -> Decision {
    payload.withUnsafeBytes { bytes in
      var message = SeenMessage()
      message.payload = bytes
      let isDoubtful = isDoubtful || namesMany(bytes)
      let isUntold = evaluator.answer(untoldServer, to: message) == .fits
      for (number, rule) in rules.all.enumerated() {
        // A tool whose server nobody tells is not the agent's own.
        if isUntold, rule.servers == nil { continue }
        let answer = answer(rule, message, &evaluator)
        if rule.decides(answer, isDoubtful: isDoubtful) { return Decision(rule.verdict, by: number + 1) }
      }
      return .unnamed
    }
  }

  /// Whether the call is a list, or has one where one name belongs. A condition fits a list by one of its elements, and what
  /// would run is not known.
  private static func namesMany(_ payload: UnsafeRawBufferPointer) -> Bool {
    if payload.isEmpty { return false }
    guard case .success(let call) = LoneValue.readChecked(payload, maximumDepth: 10_000), call.kind == .object else {
      return true
    }
    return ObjectMembers(of: call, in: payload).contains { name, value in
      value.kind == .array
        && ["agent", "server", "tool"].contains(
          String(unsafeUninitializedCapacity: name.textCount(in: payload)) {
            name.copyText(in: payload, into: UnsafeMutableRawBufferPointer($0))
          })
    }
  }

  private static func answer(_ rule: Rule, _ message: SeenMessage, _ evaluator: inout Evaluator) -> Answer {
    var answer = evaluator.answer(rule.who, to: message)
    if answer != .no, let when = rule.demands.when {
      answer = min(answer, evaluator.answer(when.condition, to: message))
    }
    guard answer != .no, let found = rule.arguments?.find(in: message, by: &evaluator) else { return answer }
    if let words = rule.demands.words {
      answer = min(answer, (found[CommandPattern.argument] ?? .other).isCommand(words))
    }
    for (name, folders) in rule.demands.inside { answer = min(answer, (found[name] ?? .other).lies(inside: folders)) }
    for (name, texts) in rule.demands.contains { answer = min(answer, (found[name] ?? .other).contains(texts)) }
    return answer
  }

  /// Fits a tool of an MCP server that the agent does not name: `"server":null`.
  private static let untoldServer: Condition = {
    do throws(ConditionFault) {
      return try Condition.read(json: Array(#"{"payload":{"server":[null]}}"#.utf8), identity: false)
    } catch {
      preconditionFailure(error.words)
    }
  }()
}
