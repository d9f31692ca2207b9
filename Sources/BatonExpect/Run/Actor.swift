/// A handler that is played: how far it is in its list, and where it sits.
struct Actor {
  let script: ScriptedHandler
  /// The place in its list of what comes next.
  var next = 0
  /// Its connection; nil while it is not there.
  var seat: Int?

  init(_ script: ScriptedHandler) { self.script = script }

  /// What comes next. The last answer holds for all further offers.
  mutating func nextAnswer() -> Answer {
    let answer = script.answers[min(next, script.answers.count - 1)]
    next += 1
    return answer
  }

  /// The answer that would come next; nil at the end of the list.
  var upcoming: Answer? { next < script.answers.count ? script.answers[next] : nil }
}
