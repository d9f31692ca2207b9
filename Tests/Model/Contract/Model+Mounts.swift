/// `mount` and `unmount` (contract, section 5, "Mounting").
extension Model {
  mutating func mount(_ wish: Mount, _ asked: Asked, from connection: Int) throws(Refusal) {
    let chain = wish.chain ?? "main"
    if find(wish.on, in: chain) != nil { throw Refusal("name_taken") }
    try refuseInClosed(chain)
    if keeps(.circleIsRefused), leads(from: wish.on, to: chain) {
      seen.insert(.circle)
      throw Refusal("mount_cycle")
    }
    try check(wish.place, in: chain)
    var settings = LinkSettings(window: 1)
    if let accepts = wish.accepts { settings.accepts = accepts }
    if let percent = wish.percent { settings.percent = percent }
    settings.when = SaidCondition.asking(wish.when)
    settings.together = wish.together ?? false
    try checkMounts(of: wish.on, in: chain)
    try checkLinks(of: connection)
    try checkLasting(connection, settings, isMount: true)
    try checkPatterns(of: connection, new: settings.weight)
    let link = put(
      Link(
        chain: chain, name: wish.on, isMount: true, maker: connection, payer: owner(of: connection), rank: 0,
        settings: settings), at: wish.place)
    var line = Line("ok", to: asked)
    line.add("chain", chain)
    line.add("on", wish.on)
    tellPlace(of: link, to: &line)
    reply(line, to: asked, of: connection)
    tellInserted(link, by: connection)
  }

  /// A chain has a limit of mounts, and so have the mounts that lead to it, and those that follow each other.
  private mutating func checkMounts(of inner: String, in outer: String) throws(Refusal) {
    let mounts = liveLinks.filter { links[$0].isMount }
    let ofOuter = mounts.count { links[$0].chain == outer }
    let ofInner = mounts.count { links[$0].name == inner }
    if max(ofOuter, ofInner) >= settings.maxMounts, keeps(.mountsAreLimited) {
      seen.insert(.tooManyMounts)
      throw Refusal("limit_reached")
    }
    let depth = depth(above: outer, among: mounts) + 1 + depth(below: inner, among: mounts)
    guard depth > settings.maxMountDepth, keeps(.mountDepthIsLimited) else { return }
    seen.insert(.tooManyMounts)
    throw Refusal("limit_reached")
  }

  private func depth(above chain: String, among mounts: [Int]) -> Int {
    mounts.filter { links[$0].name == chain }.map { 1 + depth(above: links[$0].chain, among: mounts) }.max() ?? 0
  }

  private func depth(below chain: String, among mounts: [Int]) -> Int {
    mounts.filter { links[$0].chain == chain }.map { 1 + depth(below: links[$0].name, among: mounts) }.max() ?? 0
  }

  mutating func unmount(_ on: String, from chain: String, _ asked: Asked, by connection: Int) throws(Refusal) {
    guard let link = find(on, in: chain), links[link].isMount else { throw Refusal("no_such_mount") }
    if links[link].isDeclared, keeps(.declaredIsNotRemoved) { throw notAllowed() }
    seen.insert(.unmounted)
    takeOut(link, .removed)
    var line = Line("ok", to: asked)
    line.add("chain", chain)
    line.add("on", on)
    line.add("version", version)
    reply(line, to: asked, of: connection)
    tellRemoved(link, by: connection)
  }

  /// Whether a message in one chain can come to the other through mounts.
  private func leads(from chain: String, to other: String) -> Bool {
    if chain == other { return true }
    return (chains[chain]?.links ?? []).contains { links[$0].isMount && leads(from: links[$0].name, to: other) }
  }
}
