/// What a peer may do (contract, section 11, "Rights"). A right that is missing is told as the file would spell it.
extension Model {
  /// Whether the server asks who is there. If not, everybody may do everything.
  var isAsked: Bool { entries != nil }

  /// What a connection may do; nil: everything.
  private func rights(of connection: Int) -> [Right]? {
    guard let entries else { return nil }
    let entry = entries.first { $0.name == peers[connection].who }
    return entry?.may.contains("everything") == true ? nil : (entry?.may ?? []).map(Right.init)
  }

  /// Whether one of the peer's rights of this kind fits.
  private func may(_ connection: Int, _ verb: String, _ fits: (Right) -> Bool) -> Bool {
    guard let rights = rights(of: connection) else { return true }
    return rights.contains { $0.verb == verb && fits($0) }
  }

  /// Whether a name is meant by a name of a right, which may end in `*`.
  private func means(_ spelled: String?, _ name: String) -> Bool {
    guard let spelled else { return false }
    guard spelled.hasSuffix("*") else { return spelled == name }
    return name.hasPrefix(spelled.dropLast()) || !keeps(.prefixIsBeginning)
  }

  private func lies(_ pattern: String, _ right: Right) -> Bool {
    Subject.lies(pattern, within: right.pattern, sparing: keeps(.everyTopicIsNotServers))
  }

  func mayEverything(_ connection: Int) -> Bool { rights(of: connection) == nil }

  func maySend(_ connection: Int, to chain: String, on pattern: String) -> Bool {
    may(connection, "send") { means($0.chain, chain) && lies(pattern, $0) }
  }

  func maySee(_ chain: String, _ connection: Int) -> Bool {
    may(connection, "see") { !$0.isForServer && means($0.chain, chain) }
  }

  func maySeeSome(_ connection: Int) -> Bool { may(connection, "see") { !$0.isForServer } }

  /// Whether one right lets it see every chain.
  func maySeeAll(_ connection: Int) -> Bool { may(connection, "see") { $0.chain == "*" } }

  func mayManage(_ chain: String, _ connection: Int) -> Bool {
    may(connection, "manage") { !$0.isForServer && means($0.chain, chain) }
  }

  func mayServer(_ verb: String, _ connection: Int) -> Bool {
    may(connection, verb) { $0.isForServer || $0.chain == "*" && !keeps(.starIsNotServer) }
  }

  /// Whether it may be this handler; for these topics, if a pattern is given. Declared links are meant in full only.
  func mayServe(
    _ handler: String, in chain: String, on pattern: String?, inFull: Bool, _ connection: Int
  ) -> Bool {
    may(connection, "serve") { right in
      if inFull, right.chain?.hasSuffix("*") != false || right.handler.hasSuffix("*") { return false }
      return means(right.chain, chain) && means(right.handler, handler) && (pattern.map { lies($0, right) } ?? true)
    }
  }

  func maySubscribe(to pattern: String, _ connection: Int) -> Bool {
    may(connection, "subscribe") { lies(pattern, $0) }
      && (!pattern.hasPrefix("$") || mayServer("see", connection) || !keeps(.serverTopicsNeedSight))
  }

  // MARK: What a request needs

  /// Refuses a request to which the peer has no right.
  mutating func permit(_ request: Request, of connection: Int) throws(Refusal) {
    guard isAsked, let right = missing(for: request, of: connection) else { return }
    throw denied(right)
  }

  mutating func denied(_ right: String) -> Refusal {
    seen.insert(.denied)
    return Refusal("not_allowed", right: right)
  }

  /// The right that the request needs and the peer does not have.
  private func missing(for request: Request, of connection: Int) -> String? {
    switch request {
    case .send(let message): missingToSend(message, connection)
    case .broadcast(let message): missingToBroadcast(message, connection)
    case .subscribe(let patterns, _, _): patterns.lazy.compactMap { missingToSubscribe(to: $0, connection) }.first
    case .insert(let wish): missingToInsert(wish, connection)
    case .replace(let wish): missingToReplace(wish, connection)
    case .remove(let chain, let handler):
      keeps(.removeNeedsRight) ? missingToRemove(handler, from: chain ?? "main", connection) : nil
    case .removeEmpty(let chain): keeps(.removeEmptyNeedsRight) ? missingToManage(chain ?? "main", connection) : nil
    case .mount(let wish): missingToMount(wish, connection)
    case .unmount(let chain, _): keeps(.unmountNeedsRight) ? missingToManage(chain ?? "main", connection) : nil
    case .move(let wish): keeps(.moveNeedsRight) ? missingToManage(wish.chain ?? "main", connection) : nil
    case .explain(_, let chain, _, _, _, _): keeps(.explainNeedsRight) ? missingToSee(chain ?? "main", connection) : nil
    case .inspect(let wish): missingToInspect(wish.chain, wish.server || wish.connections, connection)
    case .walks(let wish): keeps(.walksNeedRight) ? wish.chain.flatMap { missingToSee($0, connection) } : nil
    case .plain(.findings):
      keeps(.findingsNeedRight) && !mayServer("see", connection) && !maySeeSome(connection) ? "see server" : nil
    case .close: keeps(.closeNeedsRight) && !mayServer("manage", connection) ? "manage server" : nil
    case .plain(.reload): keeps(.reloadNeedsRight) && !mayServer("manage", connection) ? "manage server" : nil
    case .hello, .plain, .unsubscribe, .cancel, .verdict, .wrong: nil
    }
  }

  /// A chain as a right spells it: in rights, `server` is the server.
  private func spelled(_ chain: String) -> String { chain == "server" ? "server*" : chain }

  /// ` on PATTERN`, as a right spells it.
  private func on(_ pattern: String?) -> String { pattern == nil || pattern == ">" ? "" : " on \(pattern ?? "")" }

  private func missingToSend(_ message: Send, _ connection: Int) -> String? {
    let chain = message.chain ?? "main"
    if keeps(.sendNeedsRight), !maySend(connection, to: chain, on: message.topic) {
      return "send to \(spelled(chain)) on \(message.topic)"
    }
    return message.trace == true && keeps(.traceNeedsSight) ? missingToSee(chain, connection) : nil
  }

  /// Through a chain it needs a right for that chain, or one to broadcast the topic directly and one to send it there.
  private func missingToBroadcast(_ message: Broadcast, _ connection: Int) -> String? {
    guard keeps(.broadcastNeedsRight) else { return nil }
    let isDirect = may(connection, "broadcast") { $0.chain == nil && lies(message.topic, $0) }
    guard let via = message.via else { return isDirect ? nil : "broadcast \(message.topic)" }
    let isThrough = may(connection, "broadcast") { means($0.chain, via) && lies(message.topic, $0) }
    let sends = maySend(connection, to: via, on: message.topic) || !keeps(.viaNeedsSend)
    guard isThrough || isDirect && sends else { return "broadcast \(message.topic) via \(spelled(via))" }
    return message.trace == true && keeps(.traceNeedsSight) ? missingToSee(via, connection) : nil
  }

  private func missingToSubscribe(to pattern: String, _ connection: Int) -> String? {
    guard keeps(.subscribeNeedsRight), !maySubscribe(to: pattern, connection) else { return nil }
    return may(connection, "subscribe") { lies(pattern, $0) } ? "see server" : "subscribe \(pattern)"
  }

  private func missingToSee(_ chain: String, _ connection: Int) -> String? {
    maySee(chain, connection) ? nil : "see \(spelled(chain))"
  }

  private func missingToManage(_ chain: String, _ connection: Int) -> String? {
    mayManage(chain, connection) ? nil : "manage \(spelled(chain))"
  }

  private func missingToInspect(_ chain: String?, _ server: Bool, _ connection: Int) -> String? {
    if let chain, keeps(.inspectNeedsRight), let missing = missingToSee(chain, connection) { return missing }
    return server && keeps(.serverNeedsRight) && !mayServer("see", connection) ? "see server" : nil
  }

  // MARK: Links

  func isDeclared(_ handler: String, in chain: String) -> Bool {
    keeps(.declaredIsMeantInFull) && find(handler, in: chain).map { links[$0].isDeclared } ?? false
  }

  /// The patterns that count for a declared link.
  private func declaredPatterns(_ handler: String, in chain: String) -> [String] {
    find(handler, in: chain).map { links[$0].settings.accepts } ?? []
  }

  /// The first pattern of the line is told that does not lie within a right. What the link has is not told.
  private func missingToServe(
    _ handler: String, in chain: String, on patterns: [String], _ connection: Int
  ) -> String? {
    let right = "serve \(spelled(chain))/\(handler)"
    func may(_ pattern: String?, inFull: Bool = false) -> Bool {
      mayServe(handler, in: chain, on: pattern, inFull: inFull, connection)
    }
    let isDeclared = isDeclared(handler, in: chain)
    if isDeclared, may(nil, inFull: true) {
      return declaredPatterns(handler, in: chain).allSatisfy { may($0, inFull: true) } ? nil : right
    }
    let isPatternless = patterns.isEmpty || !keeps(.acceptsLieWithinRights)
    let wanted: [String?] = isPatternless ? [nil] : patterns.map { $0 }
    if let first = wanted.first(where: { !may($0) }) { return right + on(first) }
    return isDeclared ? right : nil
  }

  /// A place other than the back needs `manage`.
  private func missingToInsert(_ wish: Insert, _ connection: Int) -> String? {
    guard keeps(.insertNeedsRight) else { return nil }
    let chain = wish.chain ?? "main"
    let accepts = wish.settings.accepts ?? [">"]
    if let missing = missingToServe(wish.handler, in: chain, on: accepts, connection) { return missing }
    if find(wish.handler, in: chain).map({ links[$0].isDeclared }) ?? false, keeps(.declaredPlaceNeedsNoRight) {
      return nil
    }
    if !mayManage(chain, connection), let link = servable(wish.handler, in: chain), links[link].servers.isEmpty,
      let missing = missingForWhole(link, as: wish.handler, connection)
    {
      return missing
    }
    switch wish.place {
    case nil, .back?, .rank?: return nil
    case .front?, .before?, .after?: return keeps(.placeNeedsManage) ? missingToManage(chain, connection) : nil
    }
  }

  /// Who manages the chain may replace others' links, but not take a declared one.
  private func missingToReplace(_ wish: Replace, _ connection: Int) -> String? {
    guard keeps(.replaceNeedsRight) else { return nil }
    let chain = wish.chain ?? "main"
    let isDeclared = find(wish.handler, in: chain).map { links[$0].isDeclared } ?? false
    if mayManage(chain, connection), !isDeclared || !keeps(.managingIsNoServing) { return nil }
    let names = [wish.handler] + (keeps(.newNameNeedsRight) ? [wish.newName].compactMap { $0 } : [])
    for name in names {
      if let missing = missingToServe(name, in: chain, on: wish.settings.accepts ?? [], connection) { return missing }
    }
    guard let link = servable(wish.handler, in: chain) else { return nil }
    if let missing = missingForWhole(link, as: wish.handler, connection) { return missing }
    // What the link keeps must lie within the right to a new name, too.
    guard wish.settings.accepts == nil, keeps(.acceptsLieWithinRights) else { return nil }
    return names.lazy.compactMap { missingForWhole(link, as: $0, connection) }.first
  }

  /// A connection may always remove a link that it serves, with a right to its name.
  private func missingToRemove(_ handler: String, from chain: String, _ connection: Int) -> String? {
    if mayManage(chain, connection) { return nil }
    if let missing = missingToServe(handler, in: chain, on: [], connection) { return missing }
    guard let link = servable(handler, in: chain), !peers[connection].serving.contains(link) else { return nil }
    return missingForWhole(link, as: handler, connection)
  }

  /// Who may serve a part of a link's patterns does not decide about the link. The patterns are not told.
  private func missingForWhole(_ link: Int, as name: String, _ connection: Int) -> String? {
    let chain = links[link].chain
    let isWhole = links[link].settings.accepts.allSatisfy {
      mayServe(name, in: chain, on: $0, inFull: false, connection)
    }
    return isWhole || !keeps(.partIsNotWhole) ? nil : "serve \(spelled(chain))/\(name)"
  }

  /// The link of this name that is no mount.
  private func servable(_ name: String, in chain: String) -> Int? {
    find(name, in: chain).flatMap { links[$0].isMount ? nil : $0 }
  }

  private func missingToMount(_ wish: Mount, _ connection: Int) -> String? {
    if keeps(.mountNeedsRight), let missing = missingToManage(wish.chain ?? "main", connection) { return missing }
    guard keeps(.mountNeedsSend) else { return nil }
    let first = (wish.accepts ?? [">"]).first { !maySend(connection, to: wish.on, on: $0) }
    return first.map { "send to \(spelled(wish.on))\(on($0))" }
  }

  // MARK: Settings

  /// What only who manages a chain may choose: without that right, a link keeps it, and a new one has the defaults.
  mutating func permit(
    _ wish: GivenSettings, over settings: inout LinkSettings, inForce: LinkSettings, in chain: String,
    of connection: Int
  ) throws(Refusal) {
    guard !mayManage(chain, connection), keeps(.settingsNeedManage) else { return }
    if keeps(.settingsInForceStay) {
      if wish.required == nil { settings.required = inForce.required }
      if wish.onFailure == nil { settings.onFailure = inForce.onFailure }
      if wish.holdMilliseconds == nil { settings.holdMilliseconds = inForce.holdMilliseconds }
      if wish.shadow == nil { settings.shadow = inForce.shadow }
    }
    let isSame =
      settings.required == inForce.required && settings.onFailure == inForce.onFailure
      && settings.holdMilliseconds == inForce.holdMilliseconds && settings.shadow == inForce.shadow
    if isSame {
      seen.insert(.settingsKept)
    } else {
      throw denied("manage \(spelled(chain))")
    }
  }

  /// The place of a new link: a `rank` counts only for those who manage the chain.
  mutating func permitted(_ place: Place?, in chain: String, of connection: Int) -> Place? {
    guard case .rank? = place, !mayManage(chain, connection), keeps(.rankNeedsManage) else { return place }
    seen.insert(.rankIgnored)
    return nil
  }
}
