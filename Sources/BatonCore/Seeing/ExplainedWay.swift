/// The way of an explanation through a chain and the chains mounted in it: where it is in each, and which chains it has
/// entered.
struct ExplainedWay {
  /// A place in one chain. `link` is the last link that was told; `nobody` if none was, or if it is gone.
  struct Step {
    let chain: Slot<Chain>
    var link = Slot<Link>.nobody
    var passed: Link.Order?
    /// Whether a message comes here through declared mounts only.
    var isByFile = true
    /// Whether the message that is explained comes here: all mounts on the way are for it.
    var isCertain = true
  }

  /// How likely it is that a link is for the message.
  struct Chance {
    /// Why it is not; nil if it may be.
    var reason: StaticString?
    /// For which part of the messages it is, if nobody knows whether this one is in it.
    var percent: Int?
    /// `unknown` if it would be asked in doubt, `depends` if nobody knows what the message says.
    var when: StaticString?
    var isDepending = false

    var isPossible: Bool { reason == nil }
    var isCertain: Bool { reason == nil && percent == nil && !isDepending }
  }

  /// The chain that is walked, and the chains on the way to the one that is told now.
  var steps: [Step] = []
  /// Whether a link that was told would end the walk: a message would not come to those behind it.
  var isStopped = false
  /// All chains that were entered, in the order in which that was noticed.
  private(set) var entered: [Slot<Chain>] = []
  /// Whether a chain was entered through declared mounts only, as a walk knows it (`Walk.enters`).
  private var known: [Slot<Chain>: Bool] = [:]

  /// Whether a message would enter a chain from the place where it is, through a mount of the file or not.
  func enters(_ chain: Slot<Chain>, isDeclared: Bool) -> Bool {
    guard let wasByFile = known[chain] else { return true }
    return isByFile(isDeclared) && !wasByFile
  }

  /// Whether it then came there through declared mounts only.
  func isByFile(_ isDeclared: Bool) -> Bool { isDeclared && steps.last?.isByFile ?? true }

  /// Whether what a link does here happens to the message: then nothing behind a link that stops it is reached.
  func isCertain(_ chance: Chance) -> Bool { chance.isCertain && steps.last?.isCertain ?? true }

  mutating func noteEntered(_ chain: Slot<Chain>, isByFile: Bool) {
    if known.updateValue(isByFile, forKey: chain) == nil { entered.append(chain) }
  }

  /// Enters a chain at its beginning.
  mutating func enter(_ chain: Slot<Chain>, isByFile: Bool, isCertain: Bool = true) {
    noteEntered(chain, isByFile: isByFile)
    steps.append(Step(chain: chain, isByFile: isByFile, isCertain: isCertain))
  }

  /// The entered chains that are not on the way to the one that is told now.
  var left: [(chain: Slot<Chain>, isByFile: Bool)] {
    let current = Set(steps.map(\.chain))
    return entered.filter { !current.contains($0) }.map { ($0, known[$0] ?? false) }
  }
}
