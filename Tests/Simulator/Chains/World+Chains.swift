import BatonCore

/// The operator changes the file, and an observer looks at chains.
extension World {
  /// The file says something else about chains. The server reads it at once, or when a peer asks for it.
  func rearrange() {
    if luck.chance(85) { network.edit(ChainFile.changed(network.file, using: &luck)) }
    guard luck.chance(80) else { return }
    if luck.chance(30) { reloadInPieces() } else { network.reload() }
  }

  /// Messages come, and verdicts, while the reload is carried out piece by piece.
  private func reloadInPieces() {
    network.beginReload()
    for _ in 0..<luck.between(1...8) where isSound {
      if luck.chance(40) { network.turn() }
      guard let connection = pick(where: { network.wires[$0].isNextCalm && canDeliver($0) }) else { continue }
      network.deliver(network.wires[connection].nextLine ?? .max, from: connection)
    }
    network.endReload()
  }

  /// Nothing is left in any chain, not even mounts: first they are closed, then the file names none.
  func clearChains() {
    guard plan.mayStay, isSound else { return }
    network.edit(ChainFile.closed(plan.allChains))
    network.reload()
    network.edit([])
    network.reload()
  }

  /// A connection that only looks.
  func openObserver() {
    open()
    guard let observer = living.popLast() else { return }
    ledger.observer = observer
    ledger.watch?.isSeeing = true
    looking = observer
    network.look()
  }

  /// The server has ended the observer's connection: it leaves as everybody does.
  func takeBackObserver() {
    guard let observer = looking, ledger.observer == nil else { return }
    living.append(observer)
    looking = nil
  }

  func closeObserver() {
    guard let observer = looking, isSound else { return }
    ledger.observer = nil
    ledger.watch?.isSeeing = false
    looking = nil
    network.close(observer)
  }
}

extension ChainDeclaration {
  /// For a log.
  var logged: String {
    let links = links.map {
      ($0.isMount ? "mount \($0.name)" : $0.name) + ($0.isRequired ? " required" : "")
        + ($0.onFailure == .stop ? " stops" : "") + ($0.accepts == [">"] ? "" : " \($0.accepts)")
    }
    return "\(chain)\(isOpen ? " open" : "") \(links)"
  }
}
