/// Places that exist from the start, so that no message passes them before their handlers come (`--guard`).
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
        links[link].isGuarded = true
        emptyPlaces += 1
      }
      extendLifetime(chainName)
      extendLifetime(name)
    }
  }

  /// The settings that an insert does not give. A guarded place stays guarded unless the insert says otherwise: a
  /// handler that knows nothing of the guard must not open it.
  mutating func defaultSettings(isGuarded: Bool) -> LinkSettings {
    var defaults = LinkSettings(window: settings.window)
    defaults.isRequired = isGuarded
    if isGuarded { defaults.onFailure = .stop }
    return defaults
  }
}
