/// Under which name a link counts for `/metrics` (Docs/http.md, section 13).
extension Router {
  /// A link with handlers begins to count: under its own name, or with the later links of its chain.
  mutating func beginMetering(_ link: Slot<Link>) {
    let chain = links[link].chain
    links[link].isMeteredAlone = chains[chain].meteredAlone < settings.maxMetricLinks
    if links[link].isMeteredAlone { chains[chain].meteredAlone += 1 } else { linksMeteredTogether += 1 }
    holdMeters(for: link)
  }

  /// A link has another name.
  mutating func meterAnew(_ link: Slot<Link>) {
    guard links[link].isMeteredAlone else { return }
    let old = links[link].meters
    holdMeters(for: link)
    meters.release(old, most: settings.maxMetricLinks)
  }

  /// A link ends. Walks that stand at it still count there.
  mutating func endMetering(_ link: Slot<Link>) {
    guard links[link].meters != MeterTable.rest else { return }
    if links[link].isMeteredAlone {
      chains[links[link].chain].meteredAlone -= 1
    } else {
      linksMeteredTogether -= 1
    }
  }

  private mutating func holdMeters(for link: Slot<Link>) {
    let chain = links[link].chain
    links[link].meterNumber = meters.takeNumber()
    let name = links[link].isMeteredAlone ? links[link].name.bytes : .empty
    links[link].meters = meters.hold(chains[chain].name.bytes, name)
  }
}
