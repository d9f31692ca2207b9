/// Where failures are seen: in results, at links, and in `$baton.link.failed` (contract, sections 4, 7 and 8).
extension Model {
  /// What is told of a handler's message.
  func cut(_ message: String?) -> String? {
    let most = keeps(.failureMessagesAreCut) ? 256 : 1024
    // The words of the server are its own.
    if message == Line.anyText { return message }
    return message.map { Failure.cut($0, to: most, atCharacters: keeps(.cutAtCharacters)) }
  }

  /// A link has failed a message.
  mutating func remember(_ failure: Failure, of walk: Int, at link: Int, _ offer: Offer?) {
    links[link].lastFailure = (failure, walk, now)
    links[link].untoldFailures += 1
    if let told = links[link].failureToldAt, now < told + 1000, keeps(.failuresOnceASecond) { return }
    var line = describe(link, by: offer?.connection)
    line.add("cause", failure.cause.rawValue)
    line.add("message", json: cut(failure.message))
    line.add("walk", number(of: walk))
    line.add("count", keeps(.failuresAreCounted) ? links[link].untoldFailures : 1)
    if links[link].untoldFailures > 1 { seen.insert(.toldSeveralFailed) }
    (links[link].untoldFailures, links[link].failureToldAt) = (0, now)
    tell("link.failed", line, about: link)
  }

  /// The message has passed a failure. Few are listed, and none when there is no room for what messages become.
  mutating func list(_ failure: Failure, of walk: Int) {
    let isFull = walks[walk].failures.count >= (keeps(.failuresAreEight) ? 8 : 9)
    if isFull || walks[walk].hasMoreFailures || !hasRoomForStep(of: walk) { return walks[walk].hasMoreFailures = true }
    walks[walk].firstFailure = walks[walk].firstFailure ?? failure
    if let shown = shown(failure, of: walk) { walks[walk].failures.append(shown) }
  }

  /// `,"failures":[…]`
  mutating func addFailures(of walk: Int, to line: inout Line) {
    let (all, hasMore) = (walks[walk].failures, walks[walk].hasMoreFailures)
    guard !all.isEmpty || hasMore else { return }
    seen.insert(hasMore ? .moreFailures : .listedFailure)
    if !all.isEmpty {
      line.add("failures", json: "[\(all.map(describe).joined(separator: ","))]")
    }
    line.add("more_failures", ifTrue: hasMore)
    for message in all.compactMap(\.message) where message.utf8.count > 258 { seen.insert(.cutMessage) }
  }

  private func describe(_ failure: Failure) -> String {
    var line = Line()
    line.add("by", failure.by)
    line.add("chain", failure.chain)
    line.add("cause", failure.cause.rawValue)
    line.add("message", json: cut(failure.message))
    line.add("hidden", ifTrue: failure.veil != nil)
    return line.whole
  }

  /// `last_failure` of `inspect`.
  mutating func describeLastFailure(of link: Int) -> String? {
    guard let (failure, walk, at) = links[link].lastFailure else { return nil }
    seen.insert(.inspectedFailure)
    var line = Line()
    line.add("cause", failure.cause.rawValue)
    line.add("message", json: cut(failure.message))
    line.add("walk", number(of: walk))
    line.add("ago_ms", now - at)
    return line.whole
  }
}
