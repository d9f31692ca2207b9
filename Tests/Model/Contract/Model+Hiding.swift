/// What a sender may not see of mounted chains: the mount stands in place of their links (contract, section 11).
extension Model {
  /// The outermost mount on the walk's way behind which its sender may not see.
  func veil(of walk: Int) -> Int? {
    let sender = walks[walk].sender
    guard isAsked, peers[sender].phase != .gone else { return nil }
    return walks[walk].frames.lazy.compactMap(\.mount).first { !maySee(links[$0].name, sender) }
  }

  /// Whether the sender may know what handlers say when they fail, in the chain where the walk is.
  func maySenderRead(_ walk: Int) -> Bool {
    guard isAsked, let chain = walks[walk].frames.last?.chain else { return true }
    return maySee(chain, walks[walk].sender) || !keeps(.failuresAreForSeers)
  }

  /// `by` as the sender is told it.
  mutating func shown(_ by: String?, of walk: Int) -> String? {
    guard by != nil, keeps(.byIsHidden), let veil = veil(of: walk) else { return by }
    seen.insert(.byHidden)
    return links[veil].name
  }

  /// The message of a failure as the sender is told it: if it may not see the chain, the server's own words.
  mutating func shown(_ outcome: Outcome, of walk: Int) -> String? {
    guard outcome.status == "failed", let message = outcome.message, message != Line.anyText, !maySenderRead(walk)
    else {
      return outcome.message
    }
    seen.insert(.messageHidden)
    return Line.anyText(but: message)
  }

  /// A link handled a message of mode `all`. Consecutive answers behind one mount are one, the last one.
  mutating func addResult(_ by: String, _ payload: String?, to walk: Int) {
    guard let veil = veil(of: walk), keeps(.resultsAreHidden) else {
      return walks[walk].results.append((by, payload, false))
    }
    seen.insert(.resultHidden)
    let name = links[veil].name
    if let last = walks[walk].results.last, last.isHidden, last.by == name { walks[walk].results.removeLast() }
    walks[walk].results.append((name, payload, true))
  }

  /// The entries of a trace as the sender sees them: those behind one mount are one, also if others stand between them.
  func shown(_ entries: [TraceEntry]) -> String {
    var texts: [String] = []
    var told: Set<String> = []
    for entry in entries {
      let veil = keeps(.tracesAreHidden) ? entry.veil : nil
      if veil.map({ told.insert($0).inserted }) ?? true { texts.append(veil ?? entry.json) }
    }
    return "[\(texts.joined(separator: ","))]"
  }

  /// What stands in a trace in place of what is behind a mount.
  func veilEntry(of walk: Int) -> String? {
    guard walks[walk].message.trace == true, let veil = veil(of: walk) else { return nil }
    var line = Line()
    line.add("chain", links[veil].chain)
    line.add("mount", links[veil].name)
    line.add("hidden", ifTrue: true)
    return line.whole
  }

  /// A failure as its result lists it; nil if the mount is listed for it already.
  mutating func shown(_ failure: Failure, of walk: Int) -> Failure? {
    guard let veil = veil(of: walk), keeps(.failuresAreHidden) else {
      return Failure(
        by: failure.by, chain: failure.chain, cause: failure.cause,
        message: maySenderRead(walk) ? failure.message : nil)
    }
    seen.insert(.failureHidden)
    if walks[walk].failures.contains(where: { $0.veil == veil }) { return nil }
    return Failure(by: links[veil].name, chain: links[veil].chain, cause: failure.cause, veil: veil)
  }
}
