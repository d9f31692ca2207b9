/// Links that the configuration file declares (contract, section 12): what a peer may not change about them, and where others
/// may stand beside them.
extension Router {
  /// The settings of a link that nobody has given any.
  var defaultSettings: LinkSettings { mutating get { LinkSettings(window: settings.window) } }

  /// What the file says about a declared link.
  mutating func declaration(of link: Slot<Link>) -> DeclaredLink? {
    guard let at = links[link].declaredAt else { return nil }
    return chains[links[link].chain].declaration?.links[at]
  }

  /// The settings of a declared link: the file's, and where it says nothing, what its handler brought.
  mutating func settingsInForce(of declared: DeclaredLink, _ brought: HandlerSettings) -> LinkSettings {
    var settings = defaultSettings
    settings.accepts = declared.accepts.map { Array($0.utf8) }
    settings.timeoutMilliseconds = declared.timeoutMilliseconds ?? brought.timeoutMilliseconds
    settings.window = declared.window ?? brought.window ?? settings.window
    settings.onFailure = declared.onFailure
    settings.isShared = declared.isShared
    settings.holdMilliseconds = declared.holdMilliseconds
    settings.isRequired = declared.isRequired
    settings.isShadow = declared.isShadow
    settings.percent = declared.percent
    settings.when = declared.when
    settings.isTogether = declared.isTogether
    return settings
  }

  /// The settings of the file for a link that is there. Those that it had before it was declared count as brought.
  mutating func settingsInForce(of declared: DeclaredLink, at link: Slot<Link>) -> LinkSettings {
    if !links[link].isDeclared {
      let before = links[link].settings
      links[link].brought = HandlerSettings(timeoutMilliseconds: before.timeoutMilliseconds, window: before.window)
    }
    return settingsInForce(of: declared, links[link].brought)
  }

  /// Gives a link the settings of the file. Whoever pays for its patterns does so no longer.
  mutating func declareSettings(_ settings: LinkSettings, of link: Slot<Link>) {
    let now = links[link].settings
    if settings.accepts != now.accepts || settings.when != now.when || !links[link].isDeclared {
      changePatterns(of: link, to: settings)
    }
    links[link].settings = settings
  }

  private mutating func changePatterns(of link: Slot<Link>, to settings: LinkSettings) {
    removePatterns(of: link)
    if links[link].mounted != .nobody, !links[link].isDeclared {
      // Until now it counted for those who made it.
      dischargeMount(link)
    }
    dischargeLink(link)
    let isCounted = links[link].isEmptyPlace || links[link].mounted != .nobody
    if isCounted { dropKeptPatterns(of: link) }
    links[link].settings.accepts = settings.accepts
    links[link].settings.when = settings.when
    if isCounted { keepPatterns(of: link) }
    insertPatterns(of: link)
  }

  /// Refuses a link that the file does not name in a chain that has those of the file and no others.
  mutating func refuseInClosed(_ chain: Slot<Chain>?, _ name: UnsafeRawBufferPointer) throws(Fault) {
    guard let chain, let declaration = chains[chain].declaration, !declaration.isOpen else { return }
    throw Fault(
      .notAllowed,
      "the configuration file declares the chain \"\(declaration.chain)\" without \"\(shortened(name.string))\"; add it there, "
        + "or \"open: true\"")
  }

  /// Refuses another name for a declared link.
  mutating func refuseToRename(_ link: Slot<Link>, to name: UnsafeRawBufferPointer) throws(Fault) {
    guard links[link].isDeclared, !links[link].name.bytes.equals(name) else { return }
    throw declared(link, "no peer can change its name; leave out \"as\"")
  }

  /// Refuses a declared link as the neighbour of another one.
  mutating func refuseBeside(_ neighbour: Slot<Link>) throws(Fault) {
    guard links[neighbour].isDeclared else { return }
    throw declared(
      neighbour,
      "\"before\" and \"after\" cannot name it; use \"at\":\"front\" for the first place behind the declared links")
  }

  /// Refuses to remove a declared link, unless the connection serves it.
  mutating func refuseToRemove(_ link: Slot<Link>, isServing: Bool) throws(Fault) {
    guard links[link].isDeclared, !isServing else { return }
    throw declared(link, "only a handler that serves it can leave it; take it out of the file")
  }

  /// Refuses to move a declared link, or to unmount one.
  mutating func refuseToChange(_ link: Slot<Link>) throws(Fault) {
    guard links[link].isDeclared else { return }
    throw declared(link, "change the file, and reload it")
  }

  private mutating func declared(_ link: Slot<Link>, _ why: String) -> Fault {
    let chain = chains[links[link].chain].name.string
    return Fault(
      .notAllowed, "the configuration file declares \"\(links[link].name.string)\" in the chain \"\(chain)\": \(why)")
  }

  /// The first node of the chain behind the declared links whose link has not ended.
  mutating func frontNode(of chain: Slot<Chain>) -> Slot<OrderNode> {
    let last = chains[chain].lastDeclared
    if last == .nobody { return linkOrder.weightedNode(chains[chain].order, at: 0) }
    return linkOrder.nextWeighted(links[last].node, in: chains[chain].order)
  }

  /// Whether a link of this rank would stand ahead of a declared link, or share its rank.
  mutating func isAheadOfDeclared(_ rank: Double, in chain: Slot<Chain>) -> Bool {
    let last = chains[chain].lastDeclared
    return last != .nobody && rank <= links[last].rank
  }
}
