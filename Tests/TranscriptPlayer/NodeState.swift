import BatonCore
import BatonLasting

extension Transcript.NodeState {
  /// What the core is told of the nodes.
  func tell(_ facts: inout ProcessFacts) {
    facts.node = "a"
    guard self == .leads || self == .alone else { return }
    var sight = NodesSight(leader: "a", epoch: 13_416_000_000_000, since: 0, why: "first")
    (sight.engineVersion, sight.engineMilliseconds) = ("2.15.1", 1)
    var (a, b, c) = (
      NodesSight.Node(name: "a", address: "10.0.0.1:22866"), NodesSight.Node(name: "b", address: "10.0.0.2:22866"),
      NodesSight.Node(name: "c", address: "10.0.0.3:22866")
    )
    (a.leads, a.whyNot, a.version, a.wallMilliseconds) = (true, nil, "1.0.0", 0)
    (b.whyNot, b.version, b.wallMilliseconds) = (nil, "1.0.0", 5000)
    sight.log = LogName(high: 1, low: 2).spelled
    (a.position, a.behind, a.freeBytes) = (1_700_000_000_300, 0, 5_000_000_000)
    (b.position, b.behind, b.freeBytes) = (1_700_000_000_298, 2, 4_000_000_000)
    if self == .alone {
      b.whyNot = "its file says something else than the leader's"
      sight.engineAway = "it does not answer"
      sight.logBeganAgain = 0
    }
    c.whyNot = "it does not answer"
    sight.nodes = [a, b, c]
    facts.nodes = { [sight] in sight }
  }

  /// Who leads, if this node does not.
  var otherLeader: OtherLeader? {
    switch self {
    case .leads, .alone: nil
    case .spare: OtherLeader(node: "a", leader: ("b", "10.0.0.2:22866"), isReady: true)
    case .waits: OtherLeader(node: "a", leader: nil, isReady: false)
    }
  }
}
