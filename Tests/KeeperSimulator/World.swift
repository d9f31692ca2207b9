import BatonKeeper
import WorldKit

/// Senders, a router that ends tries, and a disk, around one keeper after the other (Clients/GUARANTEES.md, "The server
/// dies").
struct World: ~Copyable {
  let seed: UInt64
  let plant: Plant?
  let isLogged: Bool
  var luck: Generator
  var keeper: Keeper
  var disk = Disk()
  var judge = Judge()
  var now: UInt64 = 1
  var wall: Int64 = 1_700_000_000_000
  let secret: Secret
  /// Given to the store and not yet committed.
  var given: [StoreWrite] = []
  var loads: [UInt64] = []
  var open: [StoredID] = []
  var ordinaryOpen: [UInt64: (chain: [UInt8], key: [UInt8], isLetGo: Bool)] = [:]
  /// Ordinary messages that the keeper knows nothing of, of chain and key.
  var routers: [[UInt8]: Int] = [:]
  var declared: [KeptChain] = []
  var lastTicket: UInt64 = 0
  /// By the head of the content, which is the ticket.
  var sends: [UInt64: DurableSend] = [:]
  var generation: UInt64 = 1
  var isDraining = false
  var isEnding = false
  var hasPlanted = false
  var crashes = 0
  var begun = 0
  let isTight: Bool

  static let chains: [[UInt8]] = [Array("a".utf8), Array("b".utf8)]
  static let keys: [[UInt8]] = [Array("k".utf8), Array("l".utf8)]
  static let link = KeptLink(chain: Array("a".utf8), name: Array("x".utf8))

  init(seed: UInt64, plant: Plant?, isLogged: Bool) {
    (self.seed, self.plant, self.isLogged) = (seed, plant, isLogged)
    luck = Generator(seed: seed)
    secret = Secret(high: luck.next(), low: luck.next())
    isTight = luck.chance(30)
    keeper = Keeper(
      limits: KeeperLimits(), start: .init(random: 1, 1), secret: secret, seed: 1, results: Self.results)
  }

  var limits: KeeperLimits {
    var limits = KeeperLimits()
    limits.openTries = isTight ? 2 : 8
    limits.stepsPerTurn = isTight ? 2 : 16
    if isTight {
      limits.storedMessages = 12
      limits.deadLetters = 3
      limits.storedBytes = 600
      limits.remembered = 4
      limits.bytesReadAtOnce = 3
    }
    return limits
  }

  /// A result that is cut short has one byte, and so has that of a damaged message.
  static let results = ResultSpelling(
    shorten: { [UInt8]($0.prefix(1)) }, damaged: { _, _ in [UInt8(ascii: "f")] }, none: { _ in [UInt8(ascii: "t")] })

  func log(_ text: @autoclosure () -> String) { if isLogged { print("\(now) \(text())") } }

  mutating func plants(_ one: Plant, percent: Int = 30) -> Bool {
    guard plant == one, luck.chance(percent) else { return false }
    hasPlanted = true
    return true
  }

  // MARK: Life

  mutating func run(steps: Int) throws(Broken) {
    try start()
    for _ in 0..<steps { try step() }
    try end()
  }

  mutating func start() throws(Broken) {
    let start =
      plant == .startReused ? StoredID.Start(random: 7, 7) : StoredID.Start(random: luck.next(), luck.next())
    keeper = Keeper(limits: limits, start: start, secret: secret, seed: luck.next(), results: Self.results)
    (given, loads, open, generation, isDraining) = ([], [], [], 1, false)
    (ordinaryOpen, routers) = ([:], [:])
    // While the server was gone the clock may have been set.
    if luck.chance(10) { wall += Int64(luck.below(7_200_000)) - 3_600_000 }
    keeper.begin(at: now, wall: wall)
    declare()
    // Bytes of results that the start writes over, each with one byte: of messages whose last end of a try did not count.
    var forgotten = 0
    for row in disk.rows.keys.sorted() {
      guard var stored = disk.rows[row] else { continue }
      let state = stored.message.state
      if !stored.isDead, state.isUnderWay, state.lastTry > state.tries { forgotten += (stored.result?.count ?? 0) - 1 }
      if !plants(.sizeForgotten) { stored.message.resultCount = stored.result?.count ?? 0 }
      let key = plants(.keyForgotten) ? nil : stored.content.key
      keeper.restore(stored.message, key: key, isDead: stored.isDead)
    }
    for once in disk.onces.values.sorted(by: { ($0.name.high, $0.name.low) < ($1.name.high, $1.name.low) }) {
      var once = once
      once.resultCount = disk.results[once.name]?.count ?? 0
      keeper.restore(once)
    }
    try checkSizes(forgotten: forgotten)
    keeper.open()
    try turn()
  }

  mutating func declare() {
    declared = []
    // What was marked under a wider window may still begin, so the window of a chain stays.
    for chain in Self.chains where isEnding || luck.chance(85) {
      declared.append(KeptChain(name: chain, window: 1 + Int((seed + UInt64(chain[0])) % 4)))
    }
    if plants(.reloadUnheard) { return }
    let told = declared.map { KeptChain(name: $0.name, window: plant == .windowDoubled ? $0.window * 2 : $0.window) }
    keeper.declared(told)
  }

  mutating func crash() throws(Broken) {
    // What was given may be on disk, up to some point, though nobody was told.
    let kept = luck.below(given.count + 1)
    if luck.chance(50) { for write in given.prefix(kept) { try commit(write.change) } }
    log("crash, \(disk.rows.count) rows")
    crashes += 1
    try judge.crashed(disk)
    try start()
  }

  mutating func turn() throws(Broken) {
    keeper.turn(at: now, wall: wall)
    while let output = keeper.next() { try carryOut(output) }
  }

  mutating func step() throws(Broken) {
    switch luck.below(100) {
    case ..<22: send()
    case ..<45: try commitSome()
    case ..<70: try endTry()
    case ..<76: try answerLoads()
    case ..<86: pass(UInt64(luck.pick([1, 5, 50, 1000, 1500, 5000])))
    case ..<88: keeper.linkServed(Self.link)
    case ..<89: declare()
    case ..<92: try askDead()
    case ..<95: ordinary()
    case ..<96: if let ticket = judge.waiting.min() { leave(ticket) }
    case ..<98: try fail()
    case ..<99: if luck.chance(20) { try drain() }
    default: try crash()
    }
    try turn()
  }

  mutating func pass(_ milliseconds: UInt64) {
    now += milliseconds
    wall += Int64(milliseconds)
  }

  mutating func leave(_ ticket: UInt64) {
    keeper.senderGone(ticket)
    judge.waiting.remove(ticket)
  }

  mutating func send() {
    lastTicket += 1
    let ticket = lastTicket
    let head = Array(String(ticket).utf8)
    let once = luck.chance(40) ? Array("o\(luck.below(6))".utf8) : nil
    let key = luck.chance(50) ? luck.pick(Self.keys) : nil
    let chain = luck.pick(Self.chains)
    var send = DurableSend(
      ticket: ticket, identity: Array("i\(luck.below(2))".utf8), chain: chain,
      content: Content(head: once ?? head, from: head, key: once == nil ? key : nil, payload: [1]),
      rules: TryRules(
        tries: UInt32(luck.between(1...4)), retryMilliseconds: UInt32(luck.pick([10, 1000])), timeoutMilliseconds: 100,
        expiresMilliseconds: UInt32(luck.pick([500, 20_000, 3_600_000]))))
    if once != nil { send.chain = Self.chains[0] }
    send.once = once
    send.rememberedMilliseconds = UInt32(luck.pick([1, 2000, 100_000]))
    if luck.chance(15) { send.delayMilliseconds = 100 }
    if let key = send.content.key { send.isKeyBusy = routers[chain + key] != nil }
    sends[ticket] = send
    judge.waiting.insert(ticket)
    keeper.takeIn(send)
  }

  mutating func ordinary() {
    if let ticket = ordinaryOpen.keys.min(), luck.chance(60) {
      ordinaryOpen[ticket] = nil
      return keeper.ordinaryEnded(ticket)
    }
    let (chain, key) = (luck.pick(Self.chains), luck.pick(Self.keys))
    if let count = routers[chain + key], luck.chance(60) { return endOfRouter(chain, key, count) }
    lastTicket += 1
    if keeper.ordinaryCame(lastTicket, chain: chain, key: key) {
      ordinaryOpen[lastTicket] = (chain, key, plants(.letGoEarly))
    } else {
      routers[chain + key, default: 0] += 1
    }
  }

  mutating func endOfRouter(_ chain: [UInt8], _ key: [UInt8], _ count: Int) {
    routers[chain + key] = count == 1 ? nil : count - 1
    if count == 1 { keeper.keyFree(chain: chain, key: key) }
  }

  mutating func endTry() throws(Broken) {
    guard !open.isEmpty else { return }
    let id = open.remove(at: luck.below(open.count))
    var status = isEnding ? .handled : luck.pick(TryEnd.Status.allCases)
    if luck.chance(20) { status = .handled }
    let isEnd = status == .handled || status == .rejected
    let counts = isEnd || luck.chance(70)
    let result = [UInt8](repeating: 9, count: luck.pick([1, 20, 400]))
    judge.known[id]?.isOpen = false
    if counts, !isEnd {
      judge.known[id]?.tries += 1
      judge.known[id]?.notBefore = now + UInt64(10)
    }
    log("try of \(id.count) ends: \(status) \(counts)")
    keeper.tryEnded(id, TryEnd(status, result: result, counts: counts, passed: counts ? [] : [Self.link]))
  }

  mutating func askDead() throws(Broken) {
    let dead = disk.rows.values.filter(\.isDead).map(\.message.id).min { $0.count < $1.count }
    guard let dead else { return }
    lastTicket += 1
    if luck.chance(50) {
      keeper.discard(dead, ticket: lastTicket)
    } else {
      keeper.resend(dead, ticket: lastTicket, payload: luck.chance(50) ? [2] : nil, from: [3])
    }
  }
}
