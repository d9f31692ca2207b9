/// Links that are for some of the messages whose topic they accept (contract, section 5, `percent`, `when`). It is looked at once for
/// each link: when the message comes to it. A link that a message passes here is for this message like a link that does not
/// accept its topic, in everything: nothing else of the link is looked at, and nothing is counted.
extension Router {
  /// Why a message is not for a link that accepts its topic, as traces tell it; nil if it is. Notes whether it is in doubt.
  mutating func whyPassed(_ link: Slot<Link>, by walk: Slot<Walk>, _ steps: inout Int) -> StaticString? {
    walks[walk].isDoubtful = false
    if bucket(of: walk) >= links[link].settings.percent { return "percent" }
    guard let when = links[link].settings.when else { return nil }
    let answer = answer(of: when, at: link, to: walk)
    // As many as fit into what it may cost beyond the links themselves.
    steps &-= evaluator.steps / (Cost.little / Router.paidSteps)
    spent &+= evaluator.steps
    walks[walk].isDoubtful = answer == .unknown && links[link].mounted == .nobody
    guard answer == .no else { return nil }
    // It may be among those that were counted.
    if evaluator.hasMetList { forgetPartialCount(of: walk) }
    return "when"
  }

  /// Whether a link counts for the share of time: as `whyPassed`, but lists are unknown, so that it stays cheap.
  mutating func isAhead(_ link: Slot<Link>, of walk: Slot<Walk>) -> Bool {
    guard bucket(of: walk) < links[link].settings.percent else { return false }
    guard let when = links[link].settings.when else { return true }
    let answer = answer(of: when, at: link, to: walk, areListsUnknown: true)
    spent &+= evaluator.steps
    return answer != .no
  }

  // MARK: Conditions

  private mutating func answer(
    of when: LinkCondition, at link: Slot<Link>, to walk: Slot<Walk>, areListsUnknown: Bool = false
  ) -> Answer {
    let condition = when.condition
    let identity = condition.asksIdentity ? identityText(walks[walk].message.from) : OwnedBytes()
    defer { extendLifetime(identity) }
    var message = SeenMessage()
    message.payload = walks[walk].payload
    message.meta = walks[walk].message.meta
    message.topic = walks[walk].message.topicText
    message.key = walks[walk].message.key
    message.identity = identity.bytes
    guard let named = links[link].named, named.condition === when, let names = chains[links[link].chain].conditionNames
    else { return evaluator.answer(condition, to: message, areListsUnknown: areListsUnknown) }
    let places = seen(by: walk, message, names)
    return evaluator.answer(condition, named.numbers, to: message, found: places, areListsUnknown: areListsUnknown)
  }

  /// Where the members stand that the chain's conditions name: looked for when the first condition asks, and after each change.
  private mutating func seen(by walk: Slot<Walk>, _ message: SeenMessage, _ names: ChainNames) -> [SeenPlace] {
    if let known = walks[walk].seen, known.names === names, known.revision == names.revision { return known.places }
    let places = evaluator.findAll(names, in: message)
    spent &+= evaluator.steps
    walks[walk].seen = SeenMembers(names: names, revision: names.revision, places: places)
    return places
  }

  /// The walk has another payload: what links say of it has to be looked at again.
  mutating func forgetSeen(by walk: Slot<Walk>) {
    walks[walk].seen = nil
    forgetPartialCount(of: walk)
  }

  /// The name of the sender's identity as a JSON string; empty for the anonymous. It stands in the sender's name before the
  /// first dot.
  private mutating func identityText(_ from: UnsafeRawBufferPointer) -> OwnedBytes {
    let name = DurableFrom.identity(from)
    return name == Identity.anonymousName || name.hasPrefix("#") ? OwnedBytes() : OwnedBytes("\"\(name)\"")
  }

  /// The answer to the message that `explain` is about, sent by who asks.
  mutating func answerToExplained(_ link: Slot<Link>, for connection: Slot<Connection>) -> Answer {
    guard let when = links[link].settings.when else { return .fits }
    var message = SeenMessage()
    let identity = identityText(connections[connection].from.bytes)
    message.payload = request.raw(.payload)
    message.meta = request.raw(.meta)
    message.topic = request.raw(.topic)
    message.key = request.raw(.key)
    message.identity = identity.bytes
    defer { extendLifetime(identity) }
    let answer = evaluator.answer(when.condition, to: message)
    spent &+= evaluator.steps
    return answer
  }

  // MARK: Parts

  private mutating func bucket(of walk: Slot<Walk>) -> Int {
    if let known = walks[walk].bucket { return known }
    let bucket = findBucket(of: walk)
    walks[walk].bucket = bucket
    return bucket
  }

  private mutating func findBucket(of walk: Slot<Walk>) -> Int {
    if !walks[walk].message.key.isEmpty {
      let key = OwnedBytes(OwnedBytes(copying: walks[walk].message.key).unquoted)
      defer { extendLifetime(key) }
      spent &+= Cost.copying(key.count)
      return Bucket.of(key.bytes)
    }
    let attempt = walks[walk].attempt
    return attempt == .nobody
      ? Bucket.of(String(walks[walk].number).utf8) : Bucket.of(desk.attempts[attempt].stored.text)
  }
}
