/// The way of an explanation through a chain and the chains mounted in it: where it is in each, and which chains it has
/// entered.
struct ExplainedWay {
  /// A place in one chain. `link` is the last link that was told; `nobody` if none was, or if it is gone.
  struct Step {
    let chain: Slot<Chain>
    var link = Slot<Link>.nobody
    var passed: Link.Order?
  }

  /// The chain that is walked, and the chains on the way to the one that is told now.
  var steps: [Step] = []
  /// All chains that were entered, in the order in which that was noticed.
  private(set) var entered: [Slot<Chain>] = []
  private var known: Set<Slot<Chain>> = []

  /// Whether the chain has not been entered.
  func isNew(_ chain: Slot<Chain>) -> Bool { !known.contains(chain) }

  mutating func noteEntered(_ chain: Slot<Chain>) {
    if known.insert(chain).inserted { entered.append(chain) }
  }

  /// Enters a chain at its beginning.
  mutating func enter(_ chain: Slot<Chain>) {
    noteEntered(chain)
    steps.append(Step(chain: chain))
  }

  /// The entered chains that are not on the way to the one that is told now.
  var left: [Slot<Chain>] {
    let current = Set(steps.map(\.chain))
    return entered.filter { !current.contains($0) }
  }
}
