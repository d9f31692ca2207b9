/// What was found for a member of a condition, for a person.
package struct ConditionFinding: Equatable, Sendable {
  /// The way to the member in the condition, such as `payload.amount`.
  package var place: String
  package var answer: Answer
  package var found: Found

  package enum Found: Equatable, Sendable {
    case nothing
    /// The value, as it is written.
    case value(String)
    /// Its name stands there twice, or a name that some program takes for it.
    case unclearName
    /// A text that a program may read as JSON once more.
    case textOfJSON
  }
}

extension Evaluator {
  /// The answer, and what was found for each member: for those whose value is an object, for the members within.
  package mutating func explain(
    _ condition: Condition, _ message: SeenMessage
  ) -> (answer: Answer, findings: [ConditionFinding]) {
    let answer = answer(condition, to: message)
    var findings: [ConditionFinding] = []
    collect(condition.whole, condition, message, ConditionPlace(), &findings)
    return (answer, findings)
  }

  private func collect(
    _ formula: Condition.Formula, _ condition: Condition, _ message: SeenMessage, _ place: ConditionPlace,
    _ findings: inout [ConditionFinding]
  ) {
    switch formula {
    case .all(let terms): for term in terms { collect(term, condition, message, place, &findings) }
    case .any(let terms):
      for (number, term) in terms.enumerated() {
        collect(term, condition, message, place.member("$or").element(number), &findings)
      }
    case .member(let number):
      let demand = condition.demands[Int(number)]
      let spot = condition.spots[Int(demand.spot)]
      let place = place.member(String(decoding: condition.texts[spot.name.range], as: UTF8.self))
      let part = message.bytes(of: spot.part)
      let found = self.place(of: Int(demand.spot))
      let value = found.value
      let isUnclear = found.isDoubtful || SeenValue(value, in: part).mayBeJSON
      if case .object(let formula) = demand.kind, !isUnclear, value.kind != .array {
        return collect(formula, condition, message, place, &findings)
      }
      var what = ConditionFinding.Found.value(value.bytes(in: part).string)
      if value.kind == .absent { what = .nothing }
      if case .object = demand.kind, isUnclear { what = .textOfJSON }
      if found.isDoubtful { what = .unclearName }
      findings.append(ConditionFinding(place: place.text, answer: self.answer(to: Int(number)), found: what))
    }
  }
}
