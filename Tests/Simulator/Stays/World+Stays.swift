import BatonCore
import WorldKit

/// A listener to what stays, which comes, leaves and comes back.
struct StayListener {
  let patterns: [String]
  let valuePatterns: [String]
  /// Nil while it is away.
  var connection: Int?
  /// The number of the last event that it has read.
  var place: Int?
}

/// Peers publish what stays, listeners come, leave and come back, and an observer hears everything.
extension World {
  func openStays() {
    guard let stays = plan.stays else { return }
    let observer = openApart()
    ledger.stays?.observer = observer
    network.send(requests.line(.subscribe([">"], nil), isAsked: true, using: &luck), from: observer)
    network.deliver(.max, from: observer)
    for _ in 0..<stays.listeners {
      listeners.append(
        StayListener(patterns: luck.pick(StayPlan.patterns), valuePatterns: luck.pick(StayPlan.valuePatterns)))
    }
  }

  /// A connection that is none of the peers'.
  private func openApart() -> Int {
    apart += 1
    peers.append(Peer(plan: plan, using: &luck))
    return network.open()
  }

  /// A new peer may say who it is. `anonymous` stands for those who do not.
  func introduce(_ connection: Int) {
    if plan.limits != nil {
      let name = luck.pick(LimitPlan.names + [LimitPlan.anonymous])
      if name != LimitPlan.anonymous { network.send(requests.hello(as: name, using: &luck), from: connection) }
      return
    }
    guard let stays = plan.stays else { return }
    let names = StayPlan.names + [StayPlan.anonymous]
    // One is louder than the others, who must lose nothing by that.
    let name = !stays.hasIdentities ? "everybody" : luck.chance(60) ? names[0] : luck.pick(names)
    identities[connection] = name
    guard StayPlan.names.contains(name) else { return }
    network.send(requests.hello(as: name, using: &luck), from: connection)
  }

  /// The peer publishes something that stays.
  func publishWhatStays(_ connection: Int) {
    guard let identity = identities[connection] else { return }
    network.send(requests.staying(of: identity, using: &luck), from: connection)
  }

  // MARK: Listeners

  /// A listener comes, leaves, or reads a little.
  func tendListener() {
    guard !listeners.isEmpty else { return }
    let index = luck.below(listeners.count)
    guard let connection = listeners[index].connection else { return come(index) }
    if network.wires[connection].ending != .open || luck.chance(8) { return leave(index) }
    read(index, luck.chance(40) ? .max : luck.between(1...400))
  }

  private func come(_ index: Int) {
    let connection = openApart()
    listeners[index].connection = connection
    let life = luck.chance(25) ? lifeForValues(index) : lifeForEvents(index)
    ledger.stays?.begins(life, connection)
    network.send(requests.subscribe(life, epoch: plan.settings.epoch, using: &luck), from: connection)
    network.deliver(.max, from: connection)
  }

  private func lifeForValues(_ index: Int) -> StayLife {
    ledger.stays?.cover("asks for values")
    return StayLife(listeners[index].valuePatterns, wantsValues: true)
  }

  private func lifeForEvents(_ index: Int) -> StayLife {
    let (patterns, last) = (listeners[index].patterns, ledger.stays?.lastSeq ?? 0)
    if luck.chance(10) { return StayLife(patterns) }
    var after = luck.chance(10) ? 0 : luck.below(last + 1)
    if let place = listeners[index].place, luck.chance(70) { after = place }
    if luck.chance(5) { after = last + luck.below(3) }
    return StayLife(patterns, after: after, isOfThisEpoch: luck.chance(92))
  }

  private func leave(_ index: Int) {
    guard let connection = listeners[index].connection else { return }
    listeners[index].connection = nil
    if network.wires[connection].ending == .open, network.wires[connection].unsent.isEmpty {
      ledger.judgeStays { $0.judgeQuiet(connection) }
    }
    ledger.stays?.ends(connection)
    network.close(connection)
  }

  /// Returns whether there was anything to read.
  @discardableResult
  private func read(_ index: Int, _ count: Int) -> Bool {
    guard let connection = listeners[index].connection, network.wires[connection].hasToRead else { return false }
    for line in network.take(count, places: luck.between(1...8), of: connection) where line.op == "event" {
      if let seq = line.number("seq") { listeners[index].place = seq }
    }
    return true
  }

  // MARK: The end

  /// All listeners read what there is. Returns whether there was anything.
  func pumpListeners() -> Bool {
    var hasMoved = false
    for index in listeners.indices where isSound { if read(index, .max) { hasMoved = true } }
    return hasMoved
  }

  /// Those leave whose connection the server has ended.
  func dismissListeners() {
    for index in listeners.indices {
      guard let connection = listeners[index].connection else { continue }
      if network.wires[connection].ending != .open { leave(index) }
    }
    guard let observer = ledger.stays?.observer, network.wires[observer].ending != .open else { return }
    closeStayObserver()
  }

  func closeStays() {
    for index in listeners.indices where isSound { leave(index) }
    closeStayObserver()
  }

  private func closeStayObserver() {
    guard let observer = ledger.stays?.observer, isSound else { return }
    ledger.stays?.ends(observer)
    network.close(observer)
  }
}
