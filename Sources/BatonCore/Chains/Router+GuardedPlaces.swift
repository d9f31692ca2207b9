/// Places that exist from the start, so that no message passes them before their handlers come. No peer can open them
/// (contract, section 5, `--guard`).
extension Router {
  /// Makes the guarded places, each at the back of its chain.
  mutating func makeGuardedPlaces() {
    for place in self.settings.guardedPlaces {
      let chainName = OwnedBytes(place.chain)
      let name = OwnedBytes(place.handler)
      let chain = makeChain(named: chainName.bytes)
      if findLink(name.bytes, in: chain) == nil {
        let rank = Double(chains[chain].live + 1)
        let link = makeLink(name.bytes, in: chain, rank: rank, defaultSettings(isGuarded: true))
        links[link].service = .absent
        links[link].absentSince = started
        links[link].isGuarded = true
        chains[chain].lastGuarded = link
        emptyPlaces += 1
        keepPatterns(of: link)
      }
      extendLifetime(chainName)
      extendLifetime(name)
    }
  }

  /// The settings that an insert does not give.
  mutating func defaultSettings(isGuarded: Bool) -> LinkSettings {
    var defaults = LinkSettings(window: settings.window)
    defaults.isRequired = isGuarded
    if isGuarded { defaults.onFailure = .stop }
    return defaults
  }

  /// Refuses settings that would open a guarded place.
  mutating func refuseToOpen(_ link: Slot<Link>, with settings: LinkSettings) throws(Fault) {
    guard links[link].isGuarded else { return }
    let fixed = defaultSettings(isGuarded: true)
    let change: String? =
      if settings.accepts != fixed.accepts {
        "\"accepts\" is [\">\"]"
      } else if settings.onFailure != fixed.onFailure {
        "\"on_failure\" is \"stop\""
      } else if settings.isRequired != fixed.isRequired {
        "\"required\" is true"
      } else if settings.isShadow != fixed.isShadow {
        "\"shadow\" is false"
      } else {
        nil
      }
    guard let change else { return }
    throw notAllowed(link, "is guarded: its \(change), and no peer can change it; leave it out")
  }

  /// Refuses another name for a guarded place.
  mutating func refuseToRename(_ link: Slot<Link>, to name: UnsafeRawBufferPointer) throws(Fault) {
    guard links[link].isGuarded, !links[link].name.bytes.equals(name) else { return }
    throw notAllowed(link, "is guarded: no peer can change its name; leave out \"as\"")
  }

  /// Refuses a guarded place as the neighbour of a new link.
  mutating func refuseBeside(_ neighbour: Slot<Link>) throws(Fault) {
    guard links[neighbour].isGuarded else { return }
    throw notAllowed(
      neighbour,
      "is guarded, so \"before\" and \"after\" cannot name it; use \"at\":\"front\" for the first place behind the "
        + "guarded ones")
  }

  /// Refuses to remove a guarded place, unless the connection serves it.
  mutating func refuseToRemove(_ link: Slot<Link>, isServing: Bool) throws(Fault) {
    guard links[link].isGuarded, !isServing else { return }
    throw notAllowed(link, "is guarded: only a handler that serves it can remove it")
  }

  private mutating func notAllowed(_ link: Slot<Link>, _ why: String) -> Fault {
    let chain = chains[links[link].chain].name.string
    return Fault(.notAllowed, "the place \"\(links[link].name.string)\" of the chain \"\(chain)\" \(why)")
  }

  /// The first node of the chain behind the guarded places whose link has not ended.
  mutating func frontNode(of chain: Slot<Chain>) -> Slot<OrderNode> {
    let guarded = chains[chain].lastGuarded
    if guarded == .nobody { return linkOrder.weightedNode(chains[chain].order, at: 0) }
    return linkOrder.nextWeighted(links[guarded].node, in: chains[chain].order)
  }

  /// Whether a link of this rank would stand ahead of a guarded place, or share its rank.
  mutating func isAheadOfGuard(_ rank: Double, in chain: Slot<Chain>) -> Bool {
    let guarded = chains[chain].lastGuarded
    return guarded != .nobody && rank <= links[guarded].rank
  }
}
