/// Which messages are in traces beyond the server (contract, section 8, "Traces beyond the server").
extension Model {
  /// A message was taken in: it begins a trace, goes on in its sender's, or is in none.
  mutating func beginSpan(of walk: inout Walk) {
    guard let rule = settings.trace, version(of: walk.chain) != nil else { return }
    let who = peers[walk.sender].who
    let counts = entries == nil || who != nil && who != Entry.anonymous || !keeps(.strangersHaveNoTrace)
    let said = counts ? Self.traceparent(walk.message.meta) : nil
    guard said?.isKept ?? rule.beginsAll || said != nil && !keeps(.keptIsAsked) else { return }
    if spans.second != now / 1000 { spans = (now / 1000, 0) }
    guard spans.count < rule.perSecond || !keeps(.spansAreFew) else { return seen.insert(.spanTooMany) }
    spans.count += 1
    seen.insert(said == nil ? .spanBegun : .spanGoesOn)
    (walk.isSpanned, walk.parentSpan) = (true, said?.span)
  }

  /// The sender's span, and whether its trace is kept; nil if `meta` does not have exactly one that is well formed.
  private static func traceparent(_ meta: String?) -> (span: String, isKept: Bool)? {
    let named = meta.map { SaidJSON($0).texts(named: "traceparent") } ?? []
    guard named.count == 1, let text = named[0] else { return nil }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    let digits = Set("0123456789abcdef")
    guard parts.count == 4, parts.map(\.count) == [2, 32, 16, 2], parts[0] == "00",
      parts.allSatisfy({ $0.allSatisfy(digits.contains) }), parts[1].contains(where: { $0 != "0" }),
      parts[2].contains(where: { $0 != "0" })
    else { return nil }
    return (parts[2], parts[3].last.flatMap { $0.hexDigitValue }.map { $0 % 2 == 1 } ?? false)
  }
}
