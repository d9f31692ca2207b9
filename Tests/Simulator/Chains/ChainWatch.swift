import BatonCore
import WorldKit

/// Holds what messages see of chains against the versions that an observer saw (contract, section 5, and section 12, "When
/// the file changes"). It knows offers, results, explanations and the configuration file, and nothing of the core's inside.
///
/// The observer looks after each call in which links may have come, moved or gone by request. Links that were lost
/// meanwhile are found at the next look. So a version that it has not seen differs from its neighbours only in links that
/// are gone.
struct ChainWatch {
  /// What the configuration file says, as the server has read it last.
  private(set) var file: [ChainDeclaration]
  /// The calls in which it was read.
  private var reloads: [Int] = []
  /// Whether there is an observer who sees each version. Otherwise only offers that come twice are found.
  var isSeeing = false
  /// The calls of the core so far.
  var call = 0
  private(set) var violation: Violation?
  /// What has happened, for the coverage of a run.
  private(set) var covered: Set<String> = []
  private var sights: [String: [Sight]] = [:]
  private var byVersion: [Int: Sight] = [:]
  /// When a link was not there, though no sight shows it: it was inserted anew then.
  private var absences: [String: [(link: String, call: Int)]] = [:]
  private var offers: [Int: [Walked.Step]] = [:]
  private var ended: [Walked] = []

  /// The chains that the file has mounted somewhere. A message may enter them twice.
  private var mountedByFile: Set<String> = []

  init(file: [ChainDeclaration]) {
    self.file = file
    noteMounts()
  }

  private mutating func noteMounts() {
    for declaration in file { mountedByFile.formUnion(declaration.links.filter(\.isMount).map(\.name)) }
  }

  private mutating func fail(_ invariant: Invariant, _ detail: String) {
    if violation == nil { violation = Violation(invariant: invariant, detail: detail) }
  }

  // MARK: What is seen

  mutating func offered(_ line: SaidLine) {
    guard let walk = line.number("walk"), let chain = line.text("chain"), let link = line.text("handler") else {
      return
    }
    let name = line.isTrue("shadow") ? "copy for \(link)" : link
    let isAgain = line.isTrue("again")
    let before = (offers[walk] ?? []).count { $0.chain == chain && $0.link == name && !$0.isAgain }
    if before > 0 { covered.insert("chains: entered again through the file's mounts") }
    if !isAgain, before > (mountedByFile.contains(chain) ? 1 : 0) {
      fail(.walksOnce, "\(link) of \(chain) has been asked before: \(line.spelled)")
    }
    offers[walk, default: []].append(
      Walked.Step(
        chain: chain, link: name, outcome: Walked.Step.offered, isAgain: isAgain,
        isDoubtful: line.text("when") == "unknown", isTogether: line.isTrue("together"),
        within: line.number("within") ?? 0))
  }

  /// A message has ended. It is judged when the observer has looked.
  mutating func ended(_ line: SaidLine, of sent: SentLine, cameAt: Int) {
    guard let walk = line.number("walk") else { return }
    let steps = line["trace"].map { _ in
      line.objects("trace").map {
        Walked.Step(
          chain: $0.text("chain") ?? "", link: $0.linkName ?? "", outcome: $0.text("outcome"),
          skipped: $0.text("skipped"), isAgain: $0.isTrue("again"), isDoubtful: $0.text("when") == "unknown",
          isTogether: $0.isTrue("together"))
      }
    }
    let asked = (offers.removeValue(forKey: walk) ?? []).filter { !$0.link.hasPrefix("copy for ") }
    guard isSeeing else { return }
    ended.append(
      Walked(
        walk: walk, status: line.text("status") ?? "", chain: sent.chain, topic: sent.topic, key: sent.key,
        within: sent.within,
        bucket: Bucket.of((sent.key ?? "\(walk)").utf8),
        version: line.number("version"), trace: steps,
        isTruncated: line.isTrue("truncated"), offers: asked, cameAt: cameAt))
  }

  /// A link was inserted: it was not there before, unless it is declared.
  mutating func inserted(_ line: SaidLine) {
    guard let chain = line.text("chain"), let link = line.text("handler") else { return }
    if !line.isTrue("declared") { absences[chain, default: []].append((link, call)) }
  }

  /// The server has read the file. Messages that come from now on see what it says.
  mutating func reloaded(_ file: [ChainDeclaration]) {
    self.file = file
    noteMounts()
    reloads.append(call)
  }

  /// Messages that come now may have seen something that the observer did not see after the last reload.
  mutating func forgetReload() { _ = reloads.popLast() }

  /// The observer has seen a chain.
  mutating func saw(_ line: SaidLine) {
    guard let chain = line.text("chain") else { return }
    let links = line.objects("links").filter { $0.text("chain") == chain }.compactMap(\.linkName)
    checkFile(chain, links)
    let version = line.number("version")
    if let last = sights[chain]?.last, last.version == version {
      checkSame(last, links)
      if last.call >= reloads.last ?? 0 { return }
    }
    let declared = file.first { $0.chain == chain }?.links ?? []
    let sight = Sight(
      chain: chain, version: version, links: links,
      declared: Dictionary(uniqueKeysWithValues: declared.map { ($0.linkName, $0) }), call: call)
    sights[chain, default: []].append(sight)
    if let version { byVersion[version] = sight }
  }

  /// The links that all chains together have now.
  var linkCount: Int { sights.values.reduce(0) { $0 + ($1.last?.links.count ?? 0) } }

  // MARK: What the file says

  private mutating func checkFile(_ chain: String, _ links: [String]) {
    guard let declaration = file.first(where: { $0.chain == chain }) else { return }
    let declared = declaration.links.map(\.linkName)
    if declaration.isOpen ? links.starts(with: declared) : links == declared { return }
    fail(.asDeclared, "the file says \(declared) of \(chain), and there are \(links)")
  }

  private mutating func checkSame(_ last: Sight, _ links: [String]) {
    if last.links != links {
      fail(.oneVersion, "version \(last.version ?? 0) of \(last.chain) was \(last.links) and is \(links)")
    }
  }

  // MARK: What messages saw

  /// Judges the messages that have ended. Returns false if one is not right by what was seen so far: then the observer is
  /// to look, because links may have been lost meanwhile.
  mutating func judge(isLast: Bool) -> Bool {
    if !isSeeing { ended = [] }
    while let walked = ended.first {
      if let (invariant, detail) = faultIn(walked) {
        if !isLast { return false }
        fail(invariant, "walk \(walked.walk), \(walked.status): \(detail)")
      }
      ended.removeFirst()
    }
    return true
  }

  private typealias Found = (invariant: Invariant, detail: String)

  private mutating func faultIn(_ walked: Walked) -> Found? {
    let steps = walked.trace ?? walked.offers
    cover(walked)
    if let fault = faultInOffers(walked) { return fault }
    if let offer = walked.offers.first(where: { $0.within != walked.within }) {
      return (.itsDepth, "\(offer.link) of \(offer.chain) was told \(offer.within), and it is within \(walked.within)")
    }
    let first = walked.version.flatMap { byVersion[$0] }
    var names = [walked.chain]
    for step in steps where !names.contains(step.chain) { names.append(step.chain) }
    for (index, chain) in names.enumerated() {
      // A version that was there for a part of one call was not seen.
      if index == 0, walked.version != nil, first == nil {
        covered.insert("chains: a version was not seen")
        continue
      }
      let candidates = index == 0 && first != nil ? [first!] : seen(chain, since: walked.cameAt)
      let own = steps.filter { $0.chain == chain }
      // A stage is passed when the message was asked for elsewhere, behind it.
      let isInStage = own.contains(where: \.isTogether)
      if isInStage { covered.insert("chains: asked at once") }
      let isThrough =
        walked.passedAll || (isInStage ? hasLeftStage(chain, steps) : hasLeft(chain, names[..<index], steps))
      let faults = candidates.map { fault(in: own, of: walked, by: $0, isThrough) }
      // The steps of one that it entered twice, once in a stage, are mixed.
      if isInStage, mountedByFile.contains(chain) { continue }
      if index > 0, mountedByFile.contains(chain), hasEnteredTwice(own, of: walked, candidates, isThrough) { continue }
      if let latest = sights[chain]?.last, fault(in: own, of: walked, by: latest, isThrough) != nil {
        covered.insert("chains: an older version is seen")
      }
      guard !faults.contains(where: { $0 == nil }) else { continue }
      if candidates.isEmpty, own.isEmpty { continue }
      guard let fault = faults.last ?? nil else { return (.oneVersion, "nobody saw chain \(chain)") }
      return fault
    }
    return nil
  }

  /// Whether the steps in a chain fit to a message that entered it twice.
  private func hasEnteredTwice(_ steps: [Walked.Step], of walked: Walked, _ sights: [Sight], _ isThrough: Bool) -> Bool
  {
    steps.indices.dropFirst().contains { again in
      sights.contains { fault(in: Array(steps[..<again]), of: walked, by: $0, true) == nil }
        && sights.contains { fault(in: Array(steps[again...]), of: walked, by: $0, isThrough) == nil }
    }
  }

  private mutating func cover(_ walked: Walked) {
    covered.insert("chains: judged by \(walked.trace == nil ? "offers" : "a trace")")
    guard let last = walked.trace?.last, walked.status == "failed", !last.hasPassed else { return }
    if let sight = walked.version.flatMap({ byVersion[$0] }), sight.chain == last.chain,
      sight.isGuard(last.link, for: walked)
    {
      covered.insert("chains: a guard lets nothing pass")
    }
  }

  /// Whether the message went on in a chain that it had entered before this one.
  private func hasLeft(_ chain: String, _ earlier: ArraySlice<String>, _ steps: [Walked.Step]) -> Bool {
    guard let last = steps.lastIndex(where: { $0.chain == chain }) else { return false }
    return steps[last...].contains { earlier.contains($0.chain) }
  }

  private func hasLeftStage(_ chain: String, _ steps: [Walked.Step]) -> Bool {
    guard let last = steps.lastIndex(where: { $0.chain == chain }) else { return false }
    return steps[last...].contains { !$0.isTogether && $0.wasAsked }
  }

  /// A trace tells what handlers were asked, in that order. Those of a stage are in any order, and before all that were asked
  /// behind the stage.
  private func faultInOffers(_ walked: Walked) -> Found? {
    guard let trace = walked.trace, !walked.isTruncated else { return nil }
    let told = trace.filter(\.wasAsked)
    var left = Set(told.indices)
    // What comes next in the trace is behind this, and what comes behind the stage that it is in now.
    var (start, end) = (-1, -1)
    for offer in walked.offers {
      if !offer.isTogether { start = end }
      let fits = told.indices.first {
        $0 > start && left.contains($0) && told[$0].chain == offer.chain && told[$0].link == offer.link
      }
      guard let at = fits else {
        return (.oneVersion, "\(offer.link) of \(offer.chain) was asked, and its trace does not say so there")
      }
      if told[at].isDoubtful != offer.isDoubtful {
        return (.itsCondition, "\(offer.link) of \(offer.chain) was told another answer than its trace tells")
      }
      left.remove(at)
      end = max(end, at)
      if !offer.isTogether { start = at }
    }
    return nil
  }

  /// The versions of a chain that were there from a call on.
  private func seen(_ chain: String, since call: Int) -> [Sight] {
    guard let all = sights[chain] else { return [] }
    var start = all.lastIndex { $0.call <= call } ?? 0
    let reload = reloads.last { $0 <= call } ?? 0
    if all[start].call < reload, start + 1 < all.count { start += 1 }
    return Array(all[start...])
  }

  /// What is wrong with these steps in a chain, if the message saw this version of it, and went through all of it or not.
  private func fault(
    in steps: [Walked.Step], of walked: Walked, by sight: Sight, _ isThrough: Bool
  ) -> Found? {
    var last = -1
    var passed: Set<String> = []
    let isInStage = steps.contains(where: \.isTogether)
    let steps = isInStage ? inOrder(steps, of: sight) : steps
    for (index, step) in steps.enumerated() {
      if step.hasPassed { passed.insert(step.link) }
      // The first offer was lost; the message waited there for the next one.
      if index > 0, steps[index - 1].link == step.link, steps[index - 1].outcome == "disconnect" || step.isAgain {
        continue
      }
      guard let place = sight.links.firstIndex(of: step.link), place > last else {
        return (.oneVersion, "\(steps.map(\.link)) is not the order \(sight.links) of \(sight.chain)")
      }
      last = place
      if let said = sight.declared[step.link], said.accepts(walked.topic),
        (walked.bucket >= said.percent) != (step.skipped == "percent")
      {
        return (.itsPart, "\(step.link) of \(sight.chain) is for \(said.percent), it was \(step) for \(walked.bucket)")
      }
      if let said = sight.declared[step.link], let fault = faultOfCondition(said, step, of: walked) { return fault }
      if let said = sight.declared[step.link], said.accepts(walked.topic) == (step.skipped == "topic") {
        return (
          .oneVersion, "\(step.link) of \(sight.chain) is for \(said.accepts), and it was \(step) for \(walked.topic)"
        )
      }
    }
    // What is in a stage may be taken back together.
    let end = isThrough ? sight.links.count : isInStage ? 0 : max(0, last)
    for link in sight.links[..<end] where !passed.contains(link) {
      if sight.isGuard(link, for: walked) {
        return (.guarded, "guard \(link) of \(sight.chain) let it pass: \(steps.map(\.link)) of \(sight.links)")
      }
      // Without a trace nobody knows which links were empty, or failed it.
      if walked.trace != nil, !steps.contains(where: { $0.link == link }), !link.hasPrefix("mount of "),
        !isGone(link, since: sight)
      {
        return (.oneVersion, "\(link) of \(sight.chain) was left out: \(steps.map(\.link)) of \(sight.links)")
      }
    }
    return nil
  }

  /// The steps of a stage, as if its links had been asked one after the other.
  private func inOrder(_ steps: [Walked.Step], of sight: Sight) -> [Walked.Step] {
    let places = steps.map { step in sight.links.firstIndex(of: step.link) ?? .max }
    return steps.indices.sorted { (places[$0], $0) < (places[$1], $1) }.map { steps[$0] }
  }

  /// Nobody is asked whose condition says no, and everybody is who is in doubt, and is told.
  private func faultOfCondition(_ said: DeclaredLink, _ step: Walked.Step, of walked: Walked) -> Found? {
    guard said.accepts(walked.topic), walked.bucket < said.percent else { return nil }
    let answer = said.answer(to: walked)
    // Whoever was not there is not asked, and nothing is told of it.
    let isTold =
      step.isDoubtful == (answer == .unknown) || !step.isDoubtful && !(step.wasAsked && step.outcome != "disconnect")
    if (answer == .no) == (step.skipped == "when"), isTold { return nil }
    let condition = PlainCondition(of: said)?.rawValue ?? "nothing"
    return (
      .itsCondition, "\(said.linkName) asks \(condition), it was \(step) for \(walked.key ?? "no key"), \(answer)"
    )
  }

  /// Whether the link was not there at some time since then.
  private func isGone(_ link: String, since sight: Sight) -> Bool {
    if absences[sight.chain]?.contains(where: { $0.link == link && $0.call > sight.call }) == true { return true }
    return sights[sight.chain]?.contains { $0.call > sight.call && !$0.links.contains(link) } == true
  }
}
