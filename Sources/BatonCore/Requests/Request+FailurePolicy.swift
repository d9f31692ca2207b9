/// Reads `on_failure`: one word, or one word for each cause (contract, section 6).
extension Request {
  /// The policy in `on_failure`; nil if the line has none. Throws a `Fault` if its value is wrong.
  mutating func failurePolicy() throws(Fault) -> FailurePolicy? {
    has(.onFailure) ? try failurePolicy(of: value(.onFailure)) : nil
  }

  /// The policy in a value of `on_failure`. Throws a `Fault` if the value is wrong.
  mutating func failurePolicy(of value: MemberValue) throws(Fault) -> FailurePolicy {
    if value.kind == .object { return try policies(value) }
    return try stops(value) ? .stop : .goOn
  }

  /// The policy in an object with a word for each cause. Causes that it leaves out let the walk go on.
  private mutating func policies(_ value: MemberValue) throws(Fault) -> FailurePolicy {
    var policy = FailurePolicy.goOn
    var seen: [Cause] = []
    for entry in ObjectMembers(of: value, in: line) {
      let name = text(entry.name).string
      guard let cause = Cause.allCases.first(where: { "\($0.spelling)" == name }) else {
        let known = Cause.allCases.map { "\($0.spelling)" }
        let hint =
          nearestName(to: name, among: known).map { "did you mean \"\($0)\"?" }
          ?? "the causes are \(known.joined(separator: ", "))"
        throw Fault(.unknownMember, "\"on_failure\" has no cause \"\(shortened(name))\"; \(hint)")
      }
      if seen.contains(cause) {
        throw Fault(.duplicateMember, "\"on_failure\" has the cause \"\(name)\" twice; leave one out")
      }
      seen.append(cause)
      policy[cause] = try stops(entry.value)
    }
    return policy
  }

  private func stops(_ value: MemberValue) throws(Fault) -> Bool {
    if value.isText("stop", in: line) { return true }
    if value.isText("continue", in: line) { return false }
    throw Fault(
      .badMember,
      "\"on_failure\" must be \"continue\", \"stop\" or an object with one of them per cause", at: value.start)
  }
}
