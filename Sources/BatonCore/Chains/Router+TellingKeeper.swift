package import BatonLasting

/// What the keeper of durable messages is told of declared chains (contract, section 15): which links are served again,
/// and how many tries a chain takes at once.
extension Router {
  /// A link, as the keeper knows it.
  mutating func declaredPlace(of link: Slot<Link>) -> DeclaredPlace {
    DeclaredPlace(chain: Array(chains[links[link].chain].name.bytes), name: Array(links[link].name.bytes))
  }

  /// A connection begins to serve a link, or its breaker has closed.
  @inline(__always)
  mutating func noteServed(_ link: Slot<Link>) {
    if desk.isThere, links[link].isDeclared { tellServed(link) }
  }

  @inline(never)
  private mutating func tellServed(_ link: Slot<Link>) {
    spent &+= Cost.list
    desk.ask(.linkServed(declaredPlace(of: link)))
  }

  /// A link has more connections than before, or fewer.
  @inline(__always)
  mutating func noteWindow(of link: Slot<Link>) {
    if desk.isThere, links[link].isDeclared { tellWindow(of: links[link].chain) }
  }

  @inline(never)
  private mutating func tellWindow(of chain: Slot<Chain>) {
    guard let window = durableWindow(of: chain) else { return }
    desk.ask(.window(window))
  }

  /// The declared chains, each with what its links take at once.
  package mutating func durableWindows() -> [DurableWindow] {
    var windows: [DurableWindow] = []
    for declaration in declarations {
      let name = OwnedBytes(declaration.chain)
      if let chain = findChain(name.bytes), let window = durableWindow(of: chain) { windows.append(window) }
      extendLifetime(name)
    }
    return windows
  }

  /// How many messages the declared links of a chain take at once: as many as the least of those that are for each message,
  /// and that somebody serves. Without such a link it is what the others take together. More would only wait there, while
  /// their time runs.
  private mutating func durableWindow(of chain: Slot<Chain>) -> DurableWindow? {
    guard let declared = chains[chain].declaration?.links else { return nil }
    var (least, sum) = (Int.max, 0)
    for link in declared where !link.isShadow && !link.isMount {
      let name = OwnedBytes(link.name)
      defer { extendLifetime(name) }
      spent &+= Cost.look
      guard let found = findLink(name.bytes, in: chain), links[found].connections > 0 else { continue }
      let room = links[found].connections * links[found].settings.window
      let isForAll = link.accepts.contains(">") && link.percent == 100 && link.when == nil
      if isForAll { least = min(least, room) } else { sum += room }
    }
    let window = least < .max ? least : sum > 0 ? sum : settings.window
    return DurableWindow(chain: Array(chains[chain].name.bytes), window: window)
  }
}
