package import BatonCore
internal import BatonKeeper

/// What operators may see of the keeper.
extension KeeperBridge: KeeperSight {
  package func figures(of chain: [UInt8]?) -> KeptFigures {
    let kept = keeper.figures(of: chain)
    var figures = KeptFigures()
    (figures.messages, figures.delayed, figures.due) = (kept.messages, kept.delayed, kept.due)
    (figures.underWay, figures.dead, figures.bytes) = (kept.underWay, kept.dead, kept.bytes)
    figures.remembered = kept.remembered
    return figures
  }

  package func chains(atMost most: Int) -> [[UInt8]] { keeper.chainNames(atMost: most) }

  package var findings: [KeptFinding] {
    keeper.findings().map { finding in
      switch finding {
      case .storeFails(let milliseconds): .storeFails(milliseconds: Int(clamping: milliseconds))
      case .unreadable(let messages): .unreadable(messages: messages)
      case .damaged(let messages): .damaged(messages: messages)
      case .dead(let chain, let letters): .dead(chain: chain, letters)
      case .undeclared(let chain, let waiting, let dead): .undeclared(chain: chain, messages: waiting, dead: dead)
      case .storedMessages(let used, let limit):
        .near(setting: "max_stored_messages", used: used, of: limit, chain: nil)
      case .storedBytes(let used, let limit): .near(setting: "max_stored_bytes", used: used, of: limit, chain: nil)
      case .deadLetters(let chain, let used, let limit):
        .near(setting: "max_dead_letters", used: used, of: limit, chain: chain)
      case .remembered(let used, let limit): .near(setting: "max_remembered", used: used, of: limit, chain: nil)
      case .share(.messages, let identity, let used, let most):
        .share(setting: "max_stored_messages", identity: identity, used: used, of: most, chain: nil)
      case .share(.bytes, let identity, let used, let most):
        .share(setting: "max_stored_bytes", identity: identity, used: used, of: most, chain: nil)
      case .share(.dead(let chain), let identity, let used, let most):
        .share(setting: "max_dead_letters", identity: identity, used: used, of: most, chain: chain)
      case .freeBytes(let free, let least): .near(setting: "min_free_bytes", used: free, of: least, chain: nil)
      }
    }
  }
}
