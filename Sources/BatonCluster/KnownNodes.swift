internal import BatonLasting
internal import Lease

/// What a leader knows of all nodes, from what they answer.
struct KnownNodes {
  private struct Answer {
    let word: NodeWord
    let at: Int64
    /// Milliseconds by which its clock is before this one's.
    let apart: Int64
  }

  private let own: String
  private let patience: Int64
  private var names: [String: String]
  /// By the node's name; of names alone that the file has.
  private var answers: [String: Answer] = [:]

  init(_ plan: ClusterPlan) {
    own = plan.terms.node
    names = plan.terms.nodes
    // Two questions without an answer.
    patience = 2 * plan.terms.renewMs + 1000
  }

  mutating func name(_ names: [String: String]) { self.names = names }

  mutating func leads(_ leadership: Lease.Leadership) { answers = [:] }

  /// A node has answered a question that was asked at `asked`, by this node's clock.
  mutating func heard(_ word: NodeWord, asked: Int64, at now: Int64) {
    guard names[word.node] != nil else { return }
    answers[word.node] = Answer(word: word, at: now, apart: word.wallMs - asked)
  }

  /// What is known. `position` and `free` are of this node's own file.
  func sight(
    leading epoch: Int64, since: Int64, why: String, _ position: LogPosition?, free: Int?, at now: Int64
  ) -> NodesSight {
    var sight = NodesSight(leader: own, epoch: epoch, since: since, why: why)
    sight.log = position?.name.spelled
    sight.nodes = names.keys.sorted().map { name in
      var node = NodesSight.Node(name: name, address: names[name] ?? "")
      if name == own {
        (node.position, node.behind, node.freeBytes) = (position?.sequence, position.map { _ in 0 }, free)
      }
      guard let answer = answers[name], now - answer.at <= patience else {
        if name == own { (node.leads, node.whyNot) = (true, nil) }
        return node
      }
      if name != own, let theirs = answer.word.position {
        (node.position, node.freeBytes) = (theirs.sequence, answer.word.freeBytes)
        if let position, position.name == theirs.name {
          // What has come since it answered counts: it may read that just now.
          node.behind = position.sequence > theirs.sequence ? position.sequence - theirs.sequence : 0
        }
      }
      node.version = answer.word.version
      node.leads = name == own
      node.whyNot = name == own ? nil : answer.word.whyNot ?? (answer.word.leads ? "it says that it leads" : nil)
      node.wallMilliseconds = name == own ? 0 : Int(KnownNodes.coarse(answer.apart))
      return node
    }
    return sight
  }

  /// In steps: what changes with each answer would be news each time.
  private static func coarse(_ milliseconds: Int64) -> Int64 { milliseconds / 500 * 500 }
}
