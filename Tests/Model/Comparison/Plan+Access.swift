import BatonCore
import BatonModel
import WorldKit

/// Worlds in which the server asks who is there. Their identities have rights out of a small set, so that much is
/// allowed, and much is not.
extension Plan {
  /// One world in three asks. Its draws are its own: the other worlds stay as they are without it. Limits that all
  /// reach together are seldom reached where much is refused.
  mutating func askWhoIsThere(_ seed: UInt64) {
    let others: [Limit] = [.connections, .mounts, .totalPatterns, .totalBytes, .links]
    guard seed % 3 == 0, tight.map({ !others.contains($0) }) ?? true else { return }
    var luck = Generator(seed: seed ^ 0xACCE55)
    if luck.chance(20) { chains.append("server") }
    if luck.chance(40) { limitLinks() }
    let names = ["web", "ann", "night-shift", "k_9", "bot"].prefix(luck.between(2...5))
    var entries = names.map { entry($0, using: &luck) }
    // What is kept of several identities shares the room.
    if modelSettings.maxHistoryBytes < 1 << 20 {
      modelSettings.maxHistoryBytes = luck.between(1500...4000)
      coreSettings.maxHistoryBytes = modelSettings.maxHistoryBytes
      for index in entries.indices { entries[index].may.append("broadcast >") }
    }
    // So do values of several identities.
    if modelSettings.maxRetainedTopics < 100_000 {
      (modelSettings.maxRetainedTopics, coreSettings.maxRetainedTopics, keeping) = (3, 3, 80)
      for index in entries.indices { entries[index].may.append("broadcast >") }
    }
    // The contract leaves open who goes on first when several limits have room again. So one is reached in each world.
    let isAlone = !mayPause && luck.chance(45)
    if isAlone { entries[0].limits["max_open_messages"] = luck.between(1...4) }
    entries[0].users = ["u0", "1000"]
    entries[1].certificates = ["dns:web.example"]
    if luck.chance(40) {
      var anonymous = entry("anonymous", using: &luck)
      if luck.chance(50) { anonymous.limits["max_connections"] = luck.between(1...2) }
      entries.append(anonymous)
    }
    limitRates(of: &entries, using: luck)
    modelSettings.entries = entries
    modelSettings.authMilliseconds = luck.pick([50, 5000, 5000])
    modelSettings.maxStrangers = luck.pick([1000, 1000, 3])
    coreSettings.authMilliseconds = modelSettings.authMilliseconds
    coreSettings.maxStrangers = modelSettings.maxStrangers
    reloads = max(reloads, luck.pick([0, 15, 40]))
  }

  /// Identities have limits of links and patterns. The model does not know when a link that was lost in mid-walk, or an older
  /// place of one, counts no more.
  private mutating func limitLinks() {
    limitsLinks = true
    (tracing, watching, moves, rearranges) = (0, 0, 0, 0)
    for index in recipes.indices { recipes[index].onFailure = nil }
  }

  /// Some may send only so much in a second. The luck is a copy: other worlds stay what they are.
  private func limitRates(of entries: inout [Entry], using luck: Generator) {
    var luck = luck
    guard luck.chance(20) else { return }
    for index in entries.indices where luck.chance(60) {
      entries[index].limits["per_second"] = luck.pick([1, 3, 20, 700])
      if luck.chance(60) { entries[index].limits["burst"] = luck.between(1...5) }
    }
  }

  func entry(_ name: String, using luck: inout Generator) -> Entry {
    var entry = Entry(name: name)
    if name != "anonymous" { entry.tokens = ["baton_\(name)"] }
    entry.may = rights(using: &luck)
    for (limit, most) in [("max_connections", 5), ("max_links", 5), ("max_patterns", 10)]
    where luck.chance(limit == "max_connections" ? 8 : limitsLinks ? 40 : 0) {
      entry.limits[limit] = luck.between(1...most)
    }
    return entry
  }

  func rights(using luck: inout Generator) -> [String] {
    if luck.chance(15) { return ["everything"] }
    var rights = (0..<luck.between(0...9)).map { _ in right(using: &luck) }
    if luck.chance(40) {
      // Much is allowed, but it does not see everything.
      rights += ["send to *", "serve *", "see \(chains[luck.below(chains.count)].prefix(1))*"]
      if luck.chance(60) { rights.append("manage *") }
      if luck.chance(40) { rights += ["subscribe $baton.>", "see server"] }
    }
    for declaration in modelSettings.declarations {
      for link in declaration.links where !link.isMount && luck.chance(40) {
        rights.append("serve \(declaration.chain)/\(link.name)")
      }
    }
    return rights
  }

  private func right(using luck: inout Generator) -> String {
    let chain = chain(using: &luck)
    let on = luck.chance(60) ? "" : " on \(luck.pick(["door.>", "*", "*.open", "a.*", "open.>"]))"
    switch luck.below(14) {
    case ..<3: return "send to \(chain)\(on)"
    case 3: return "broadcast \(luck.pick([">", "door.>", "*"]))"
    case 4: return "broadcast \(luck.pick([">", "door.>", "*"])) via \(chain)"
    case 5: return "subscribe \(luck.pick([">", "door.>", "*.*", "a"]))"
    case 6: return "subscribe \(luck.pick(["$baton.>", "$baton.link.*", "$baton.*.*"]))"
    case 7..<10:
      let handler = luck.pick(["", "", "/\(luck.pick(names))", "/\(luck.pick(names).prefix(1))*"])
      return "serve \(chain)\(handler)\(on)"
    case 10: return "see \(chain)"
    case 11: return "see server"
    case 12: return "manage \(chain)"
    default: return luck.chance(60) ? "manage \(chain)" : "manage server"
    }
  }

  private func chain(using luck: inout Generator) -> String {
    let name = luck.pick(chains)
    if luck.chance(30) { return "*" }
    // In rights, this name means the server.
    return luck.chance(20) || name == "server" ? "\(name.prefix(1))*" : name
  }

  /// What a connection is before its first line.
  func facts(using luck: inout Generator) -> Facts {
    var facts = Facts()
    guard modelSettings.entries != nil || tight == .totalBytes else { return facts }
    // What one address left under way keeps out newcomers from there alone.
    facts.address = tight == .totalBytes && luck.chance(80) ? 0 : luck.below(4)
    guard modelSettings.entries != nil else { return facts }
    facts.takesTokens = !luck.chance(3)
    if luck.chance(10) { facts.users = [luck.pick(["u0", "1000", "u9"])] }
    if luck.chance(10) { facts.certificates = ["dns:web.example"] }
    return facts
  }

  /// The operator changes the file.
  func edited(_ old: [Entry], using luck: inout Generator) -> [Entry] {
    var entries = old
    let index = luck.below(entries.count)
    if let limited = entries.firstIndex(where: { $0.limits["max_open_messages"] != nil }), luck.chance(40) {
      entries[limited].limits["max_open_messages"] = luck.between(1...6)
      return entries
    }
    switch luck.below(10) {
    case 0 where entries.count > 1: entries.remove(at: index)
    case 1: entries[index].tokens = entries[index].tokens.map { $0 + "x" }
    case 2:
      let missing = ["web", "ann", "bot", "anonymous"].filter { name in !entries.contains { $0.name == name } }
      if let name = missing.first { entries.append(entry(name, using: &luck)) }
    case 3: entries[index].users = entries.contains { !$0.users.isEmpty } ? [] : ["u0"]
    case 4, 5: entries[index].may = rights(using: &luck)
    default:
      // One right less, or one for another one.
      guard !entries[index].may.isEmpty else { break }
      let place = luck.below(entries[index].may.count)
      entries[index].may.remove(at: place)
      if luck.chance(30) { entries[index].may.append(right(using: &luck)) }
    }
    return entries
  }
}

/// What the core is told of entries and facts.
enum CoreAccess {
  static func rules(_ entries: [Entry]) -> AccessRules {
    let peers = entries.map { entry in
      var peer = AccessRules.Peer(name: entry.name)
      peer.tokens = entry.tokens.map { token in Array(token.utf8).withUnsafeBytes(digest) }
      peer.certificates = entry.certificates
      peer.users = entry.users.map(user)
      peer.limits.connections = entry.limits["max_connections"]
      peer.limits.openMessages = entry.limits["max_open_messages"]
      peer.limits.links = entry.limits["max_links"]
      peer.limits.patterns = entry.limits["max_patterns"]
      peer.limits.perSecond = entry.limits["per_second"]
      peer.limits.burst = entry.limits["burst"]
      peer.may = entry.may.compactMap { try? Right(parsing: $0) }
      precondition(peer.may.count == entry.may.count, "a right that the core cannot read: \(entry.may)")
      return peer
    }
    return AccessRules(peers: peers, digest: digest)
  }

  static func facts(_ facts: Facts) -> PeerFacts {
    var known = PeerFacts()
    known.address = UInt64(facts.address)
    known.takesTokens = facts.takesTokens
    known.users = facts.users.map(user)
    known.certificates = facts.certificates
    return known
  }

  private static func user(_ text: String) -> SystemUser { UInt32(text).map(SystemUser.numbered) ?? .named(text) }

  /// Any function will do that gives different tokens different numbers.
  @Sendable private static func digest(_ token: UnsafeRawBufferPointer) -> TokenDigest {
    var words = SIMD4<UInt64>(1, 2, 3, 4)
    for byte in token { words = (words ^ SIMD4(repeating: UInt64(byte))) &* SIMD4(repeating: 0x100_0000_01B3) }
    return TokenDigest(words: words)
  }
}
