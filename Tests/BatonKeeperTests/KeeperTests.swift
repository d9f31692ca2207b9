import BatonKeeper
import BatonLasting
import Testing

/// One message on its way through the keeper, step by step. Crashes and chance are the simulator's
/// (Docs/guarantees.md, "The clock jumps").
@Suite struct KeeperTests {
  static func keeper(_ limit: (inout KeeperLimits) -> Void = { _ in }) -> Keeper {
    var keeper = starting(limit)
    keeper.open()
    return keeper
  }

  /// One that is still told what its store has.
  static func starting(_ limit: (inout KeeperLimits) -> Void = { _ in }) -> Keeper {
    var limits = KeeperLimits()
    limit(&limits)
    var keeper = Keeper(
      limits: limits, start: .init(random: 5, 6), secret: Secret(high: 1, low: 2), seed: 3,
      results: ResultSpelling(shorten: { [UInt8]($0.prefix(1)) }, damaged: { _, _ in [100] }, none: { _ in [110] }))
    keeper.begin(at: 1, wall: 1000)
    keeper.declared([DurableWindow(chain: [97], window: 4)])
    return keeper
  }

  static func send(_ ticket: UInt64, once: [UInt8]? = nil, payload: [UInt8] = [1], tries: UInt32 = 2) -> DurableMessage
  {
    var send = DurableMessage(
      ticket: ticket, identity: [], chain: [97],
      content: DurableContent(head: [1], from: [], key: nil, payload: payload),
      rules: TryRules(tries: tries, retryMilliseconds: 1000, timeoutMilliseconds: 100, expiresMilliseconds: 60_000))
    send.once = once
    return send
  }

  /// What it wants done in this turn.
  static func turn(_ keeper: inout Keeper, at now: UInt64) -> [KeeperOutput] {
    keeper.turn(at: now, wall: 1000 + Int64(now))
    var outputs: [KeeperOutput] = []
    while let output = keeper.next() { outputs.append(output) }
    return outputs
  }

  @Test func acceptedComesAfterTheDiskAndTheTryWithIt() {
    var keeper = Self.keeper()
    keeper.takeIn(Self.send(7))
    let first = Self.turn(&keeper, at: 1)
    guard first.count == 1, case .write(let write) = first[0], case .insert(let row, _, _) = write.change else {
      Issue.record("\(first)")
      return
    }
    #expect(row.state.isUnderWay)
    #expect(Self.turn(&keeper, at: 2).isEmpty)
    keeper.storedUpTo(write.number)
    let second = Self.turn(&keeper, at: 2)
    guard second.count == 2, case .accepted(7, let id, false) = second[0], case .begin(let attempt) = second[1] else {
      Issue.record("\(second)")
      return
    }
    #expect(id == row.id && attempt.number == 1 && !attempt.isAgain)
    keeper.tryEnded(id, TryEnd(.handled, result: [9]))
    let third = Self.turn(&keeper, at: 3)
    guard third.count == 1, case .write(let end) = third[0] else {
      Issue.record("\(third)")
      return
    }
    keeper.storedUpTo(end.number)
    let fourth = Self.turn(&keeper, at: 4)
    guard fourth.count == 1, case .result(7, id, false, _) = fourth[0] else {
      Issue.record("\(fourth)")
      return
    }
    #expect(keeper.counts().waiting == 0 && keeper.isQuiet)
  }

  @Test func whatFailedIsRefusedWhenThatIsCertain() {
    var keeper = Self.keeper()
    keeper.takeIn(Self.send(7))
    _ = Self.turn(&keeper, at: 1)
    keeper.failed(generation: 1)
    #expect(Self.turn(&keeper, at: 500).isEmpty)
    keeper.takeIn(Self.send(8))
    guard case .refused(8, .storeFailed)? = Self.turn(&keeper, at: 500).first else {
      Issue.record("not refused at once")
      return
    }
    let probe = Self.turn(&keeper, at: 1500)
    guard probe.count == 1, case .write(let write) = probe[0], case .remove = write.change, write.generation == 2 else {
      Issue.record("\(probe)")
      return
    }
    keeper.storedUpTo(write.number)
    guard case .refused(7, .storeFailed)? = Self.turn(&keeper, at: 1501).first else {
      Issue.record("not refused later")
      return
    }
    #expect(keeper.counts().waiting == 0)
  }

  /// What the store reads after a commit has failed lacks what that had.
  @Test func whatWasReadBehindAFailedCommitIsReadAgain() {
    var keeper = Self.keeper()
    keeper.takeIn(Self.send(1))
    _ = Self.turn(&keeper, at: 1)
    keeper.storedUpTo(1)
    let begun = Self.turn(&keeper, at: 2).compactMap {
      if case .begin(let attempt) = $0 { attempt.stored } else { nil }
    }
    guard let id = begun.first else {
      Issue.record("nothing is tried")
      return
    }
    keeper.tryEnded(id, TryEnd(.unhandled, result: [9]))
    _ = Self.turn(&keeper, at: 3)
    let expired = Self.turn(&keeper, at: 100_000)
    guard expired.contains(where: { if case .load = $0 { true } else { false } }) else {
      Issue.record("\(expired)")
      return
    }
    keeper.failed(generation: 1)
    keeper.loaded(id.count, .content(Self.send(1).content, result: nil, resent: nil))
    var number: UInt64 = 0
    var told: [[UInt8]?] = []
    for at in 1...6 {
      for output in Self.turn(&keeper, at: 100_000 + UInt64(at) * 1000) {
        if case .write(let write) = output { number = write.number }
        if case .load(let row) = output {
          keeper.storedUpTo(number)
          keeper.loaded(row, .content(Self.send(1).content, result: [9], resent: nil))
        }
        if case .result(_, _, _, let bytes) = output { told.append(bytes) }
      }
      keeper.storedUpTo(number)
    }
    #expect(told == [[9]])
  }

  /// The name of a message is remembered from when its end comes to the disk, which may be long after its last verdict.
  @Test func aNameIsRememberedFromWhenItsEndIsWritten() {
    var keeper = Self.keeper()
    keeper.takeIn(Self.send(1, once: [5]))
    _ = Self.turn(&keeper, at: 1)
    keeper.storedUpTo(1)
    let begun = Self.turn(&keeper, at: 2).compactMap {
      if case .begin(let attempt) = $0 { attempt.stored } else { nil }
    }
    keeper.failed(generation: 1)
    if let id = begun.first { keeper.tryEnded(id, TryEnd(.handled, result: [9])) }
    var untils: [Int64?] = []
    for output in Self.turn(&keeper, at: 3) + Self.turn(&keeper, at: 5000) {
      if case .write(let write) = output, case .end(_, _, let until) = write.change { untils.append(until) }
    }
    #expect(untils == [6000 + 3_600_000])
  }

  @Test func whatIsKnownIsNotRefusedWhileCommitsFail() {
    var keeper = Self.keeper()
    keeper.takeIn(Self.send(1, once: [5]))
    guard case .write(let write)? = Self.turn(&keeper, at: 1).first else {
      Issue.record("nothing is written")
      return
    }
    keeper.storedUpTo(write.number)
    _ = Self.turn(&keeper, at: 2)
    keeper.failed(generation: 1)
    keeper.takeIn(Self.send(2, once: [5]))
    keeper.takeIn(Self.send(3, once: [5], payload: [2]))
    keeper.takeIn(Self.send(4, once: [6]))
    let outputs = Self.turn(&keeper, at: 3)
    #expect(outputs.contains { if case .accepted(2, _, true) = $0 { true } else { false } })
    #expect(outputs.contains { if case .refused(3, .onceMismatch) = $0 { true } else { false } })
    #expect(outputs.contains { if case .refused(4, .storeFailed) = $0 { true } else { false } })
  }

  @Test func theSameOnceIsKnownAndAnotherContentIsNot() {
    var keeper = Self.keeper()
    keeper.takeIn(Self.send(1, once: [5]))
    keeper.takeIn(Self.send(2, once: [5]))
    keeper.takeIn(Self.send(3, once: [5], payload: [2]))
    let outputs = Self.turn(&keeper, at: 1)
    #expect(outputs.count == 2)
    guard case .refused(3, .onceMismatch) = outputs[0] else {
      Issue.record("\(outputs)")
      return
    }
    keeper.storedUpTo(1)
    let told = Self.turn(&keeper, at: 2).compactMap { output -> (UInt64, Bool)? in
      if case .accepted(let ticket, _, let isKnown) = output { (ticket, isKnown) } else { nil }
    }
    #expect(told.map(\.0) == [1, 2] && told.map(\.1) == [false, true])
  }

  @Test func whatWasUnderWayCountsAndComesAgain() {
    var keeper = Self.starting()
    var state = TryState()
    (state.tries, state.isUnderWay, state.place) = (1, true, 4)
    for (count, tries) in [(4, 3), (5, 2)] as [(UInt64, UInt32)] {
      keeper.restore(
        StoredMessage(
          id: StoredID(start: .init(random: 1, 1), count: count), identity: [], chain: [97],
          rules: TryRules(
            tries: tries, retryMilliseconds: 1000, timeoutMilliseconds: 100, expiresMilliseconds: 60_000),
          acceptedAt: 900, resent: nil, byteCount: 1, state: state),
        key: nil, isDead: false)
    }
    keeper.open()
    // The last try of 5 was under way: it is a dead letter. 4 has one left.
    let outputs = Self.turn(&keeper, at: 2)
    #expect(outputs.contains { if case .load(4) = $0 { true } else { false } })
    keeper.loaded(4, .content(DurableContent(head: [], from: [], key: nil, payload: []), result: nil, resent: nil))
    keeper.storedUpTo(3)
    let begun = Self.turn(&keeper, at: 3)
    #expect(
      begun.contains { if case .begin(let attempt) = $0 { attempt.number == 3 && attempt.isAgain } else { false } })
    #expect(begun.contains { if case .died(let id, _, false) = $0 { id.count == 5 } else { false } })
    #expect(keeper.deadLetters(of: [97], after: nil, limit: 10).ids.map(\.count) == [5])
  }

  /// Who had nearly used up its part before a start is told after it, too, and not once that has gone.
  @Test func aPartThatIsNearlyUsedUpIsToldAfterAStart() {
    var keeper = Self.starting { $0.storedMessages = 8 }
    for (row, identity) in [(1, [119]), (2, [119]), (3, [119]), (4, [115])] as [(UInt64, [UInt8])] {
      var state = TryState()
      state.place = row
      keeper.restore(
        StoredMessage(
          id: StoredID(start: .init(random: 1, 1), count: row), identity: identity, chain: [97],
          rules: TryRules(tries: 2, retryMilliseconds: 1, timeoutMilliseconds: 1, expiresMilliseconds: 9000),
          acceptedAt: 1000, resent: nil, byteCount: 1, state: state),
        key: nil, isDead: false)
    }
    keeper.open()
    #expect(keeper.findings() == [.share(.messages, identity: [119], used: 3, of: 4)])
    keeper.take(KeeperLimits())
    #expect(keeper.findings() == [])
  }

  /// A try did not count, and crashes cut off those after it: what the first one ended with is not told as their end.
  @Test func aCrashIsNotToldAsATryThatDidNotCount() throws {
    for (lastTry, counted, isTold) in [(1, 0, true), (1, 1, false), (0, 0, false)] as [(UInt32, UInt32, Bool)] {
      var keeper = Self.starting()
      var state = TryState()
      (state.place, state.tries, state.lastTry, state.isUnderWay) = (7, counted, lastTry, true)
      state.cause = lastTry > 0 ? .unhandled : nil
      keeper.restore(
        StoredMessage(
          id: StoredID(start: .init(random: 1, 1), count: 7), identity: [], chain: [97],
          rules: TryRules(tries: counted + 1, retryMilliseconds: 1, timeoutMilliseconds: 1, expiresMilliseconds: 9000),
          acceptedAt: 1000, resent: nil, byteCount: 1, state: state),
        key: nil, isDead: false)
      keeper.open()
      guard case .write(let write) = Self.turn(&keeper, at: 1).first, case .dead(7, let last, let result) = write.change
      else {
        Issue.record("it is no dead letter")
        return
      }
      #expect(result?.written == (isTold ? [110] : nil))
      #expect(last.tries == counted + 1 && last.cause == (isTold || lastTry == 0 ? nil : .unhandled))
    }
  }

  @Test func aClockThatWasSetBackMakesNoTimeLongerThanItWas() {
    var keeper = Keeper(
      limits: KeeperLimits(), start: .init(random: 5, 6), secret: Secret(high: 1, low: 2), seed: 3,
      results: ResultSpelling(shorten: { [UInt8]($0.prefix(1)) }, damaged: { _, _ in [100] }, none: { _ in [110] }))
    let accepted: Int64 = 10_000_000
    keeper.begin(at: 1, wall: accepted - 3_600_000)
    keeper.declared([DurableWindow(chain: [97], window: 4)])
    // Delayed by 2 s; the second try after 3 s, and the third after 6 s; a try that did not count.
    var states = [TryState](repeating: TryState(), count: 4)
    states[0].nextAt = accepted + 2000
    for (place, tries, after) in [(1, 1, 3100), (2, 2, 6500), (3, 0, 400_000)] as [(Int, UInt32, Int64)] {
      (states[place].place, states[place].tries, states[place].nextAt) = (UInt64(place + 1), tries, accepted + after)
    }
    states[3].isStalled = true
    let ids = (UInt64(1)...4).map { StoredID(start: .init(random: 1, 1), count: $0) }
    for (id, state) in zip(ids, states) {
      keeper.restore(
        StoredMessage(
          id: id, identity: [], chain: [97],
          rules: TryRules(tries: 9, retryMilliseconds: 3000, timeoutMilliseconds: 100, expiresMilliseconds: 60_000),
          acceptedAt: accepted, resent: nil, byteCount: 1, state: state),
        key: nil, isDead: false)
    }
    keeper.open()
    #expect(ids.map { keeper.status(of: $0)?.nextTryMilliseconds } == [2000, 3300, 6600, 3300])
    #expect(ids.map { keeper.status(of: $0)?.isUncounted } == [false, false, false, true])
    #expect(Self.turn(&keeper, at: 2000).isEmpty)
    _ = Self.turn(&keeper, at: 6601)
    #expect(ids.allSatisfy { keeper.status(of: $0)?.state == .underWay })
  }

  @Test func whatMayHaveBeenOfferedBeforeACopyComesAgain() {
    var keeper = Keeper(
      limits: KeeperLimits(), start: .init(random: 5, 6), secret: Secret(high: 1, low: 2), seed: 3,
      results: ResultSpelling(shorten: { [UInt8]($0.prefix(1)) }, damaged: { _, _ in [100] }, none: { _ in [110] }))
    keeper.begin(at: 1, wall: 1000, again: 4)
    keeper.declared([DurableWindow(chain: [97], window: 4)])
    for row in [4, 5] as [UInt64] {
      var state = TryState()
      state.place = row
      keeper.restore(
        StoredMessage(
          id: StoredID(start: .init(random: 1, 1), count: row), identity: [], chain: [97],
          rules: TryRules(tries: 2, retryMilliseconds: 1000, timeoutMilliseconds: 100, expiresMilliseconds: 60_000),
          acceptedAt: 900, resent: nil, byteCount: 1, state: state),
        key: nil, isDead: false)
    }
    keeper.open()
    _ = Self.turn(&keeper, at: 2)
    for row in [4, 5] as [UInt64] {
      keeper.loaded(row, .content(DurableContent(head: [], from: [], key: nil, payload: []), result: nil, resent: nil))
    }
    var again: [UInt64: Bool] = [:]
    for number in UInt64(1)...4 {
      keeper.storedUpTo(number)
      for case .begin(let attempt) in Self.turn(&keeper, at: 2 + number) {
        again[attempt.stored.count] = attempt.isAgain
      }
    }
    #expect(again == [4: true, 5: false])
  }

  @Test func namesAreReadInTheirOneSpelling() {
    let id = StoredID(start: .init(random: .max, 12345), count: 1042)
    #expect(StoredID(text: id.text) == id)
    #expect(StoredID(text: id.text + [120]) == nil)
    #expect(StoredID(text: Array(id.text.dropLast(4))) == nil)
    #expect(StoredID(text: Array("k3f9m2q8w1x7c5z4-042".utf8)) == nil)
    #expect(StoredID(text: Array("k3f9m2q8w1x7c5z4-99999999999999999999".utf8)) == nil)
  }

  @Test func digestsAreThoseOfSipHash() {
    // The first vectors of the reference: the key 00 01 … 0f; nothing, and 00.
    let secret = Secret(high: 0x0f0e_0d0c_0b0a_0908, low: 0x0706_0504_0302_0100)
    #expect(KeyedHash(secret).digest() == Digest(high: 0xe6a8_25ba_047f_81a3, low: 0x9302_55c7_1472_f66d))
    var hash = KeyedHash(secret)
    hash.add(0)
    #expect(hash.digest() == Digest(high: 0x44af_996b_d8c1_87da, low: 0x45fc_229b_1159_7634))
    // Whole words at once are the same as their bytes, wherever they begin.
    for count in 0...40 {
      let part = (0..<count).map { UInt8($0 * 5 + 1) }
      var (words, bytes) = (KeyedHash(secret), KeyedHash(secret))
      for _ in 0..<3 {
        words.add(part: part)
        for shift in 0..<8 { bytes.add(shift == 0 ? UInt8(count) : 0) }
        for byte in part { bytes.add(byte) }
      }
      #expect(words.digest() == bytes.digest())
    }
  }
}
