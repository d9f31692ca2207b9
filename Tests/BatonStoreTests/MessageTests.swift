import BatonLasting
import BatonStore
import Testing

/// Durable messages on disk: each change, and each of them twice.
@Suite struct MessageTests {
  @Test func whatWasWrittenIsThereAtTheNextStart() throws {
    let place = try Place()
    let store = try place.open()
    var message = Made.message(4, isUnderWay: true, resent: StoredID(start: Made.start, count: 2))
    message.state.place = 9
    message.state.nextAt = 1_700_000_000_123
    message.state.cause = .failed
    message.state.isAgain = true
    #expect(store.write(.insert(message, Made.content(key: "ann"), once: Made.once(4))))
    store.close()
    let items = try place.open().items()
    guard items.count == 2, case .message(let found, let key, false) = items[0], case .once(let once) = items[1] else {
      Issue.record("\(items)")
      return
    }
    #expect(key == Array("ann".utf8))
    #expect(found.id == message.id && found.identity == message.identity && found.chain == message.chain)
    #expect(found.rules == message.rules && found.acceptedAt == message.acceptedAt && found.resent == message.resent)
    #expect(found.byteCount == 9 && found.state == message.state)
    #expect(once.name == Made.once(4).name && once.content == Made.once(4).content && once.id == message.id)
    #expect(once.rememberedMilliseconds == 5000 && once.until == nil)
  }

  @Test(arguments: [1, 2]) func aChangedStateGoesWithItsResult(times: Int) throws {
    let place = try Place()
    let store = try place.open()
    defer { withExtendedLifetime(place) {} }
    #expect(store.write(.insert(Made.message(1), Made.content(), once: nil)))
    var state = TryState()
    (state.tries, state.lastTry, state.nextAt, state.place, state.cause) = (2, 3, 77, 1, .timeout)
    (state.isStalled, state.isAgain) = (true, true)
    for _ in 0..<times { #expect(store.write(.state(1, state, result: [5, 6]))) }
    guard case .content(let content, let result, nil) = store.load(1) else {
      Issue.record("not loaded")
      return
    }
    #expect(content == Made.content() && result == [5, 6])
    guard case .message(let found, nil, false) = try store.items().first else {
      Issue.record("not restored")
      return
    }
    #expect(found.state == state)
    state.isUnderWay = true
    for _ in 0..<times { #expect(store.write(.state(1, state, result: nil))) }
    guard case .content(_, let kept, _) = store.load(1) else {
      Issue.record("not loaded")
      return
    }
    #expect(kept == [5, 6])
    #expect(store.write(.end(1, result: TryResult([7]), rememberedUntil: 1)))
    #expect(try store.items().isEmpty)
    // Its number is used by another one later, which has a state of its own.
    #expect(store.write(.state(1, state, result: nil), .insert(Made.message(1), Made.content(), once: nil)))
    guard case .message(let other, _, _) = try store.items().first else {
      Issue.record("not restored")
      return
    }
    #expect(other.state == Made.message(1).state)
  }

  @Test(arguments: [1, 2]) func anEndKeepsTheNameWithItsResult(times: Int) throws {
    let place = try Place()
    let store = try place.open()
    defer { withExtendedLifetime(place) {} }
    #expect(store.write(.insert(Made.message(1), Made.content(), once: Made.once(1))))
    for _ in 0..<times { #expect(store.write(.end(1, result: TryResult([7]), rememberedUntil: 900))) }
    #expect(try store.rows().isEmpty)
    #expect(try store.names(wall: 800).map(\.until) == [900])
    #expect(store.recall(1) == [7])
    #expect(store.recall(1, start: StoredID.Start(random: 1, 1)) == nil)
    for _ in 0..<times { #expect(store.write(.forget(Made.once(1).name, of: 1))) }
    #expect(store.recall(1) == nil)
    #expect(try store.names(wall: 800).isEmpty)
  }

  @Test func aStartTellsTheSizesOfResultsAndWhoseNamesAre() throws {
    let place = try Place()
    let store = try place.open()
    defer { withExtendedLifetime(place) {} }
    for row in UInt64(1)...2 {
      #expect(store.write(.insert(Made.message(row), Made.content(), once: Made.once(row, name: row))))
    }
    #expect(store.write(.state(1, TryState(), result: [5, 6])))
    #expect(store.write(.end(2, result: TryResult([7, 8, 9], short: [7]), rememberedUntil: 900)))
    #expect(store.recall(2) == [7])
    guard case .message(let message, _, _) = try store.items().first else {
      Issue.record("not restored")
      return
    }
    #expect(message.resultCount == 2)
    let names = try store.names()
    #expect(names.map(\.resultCount) == [0, 1] && names.map(\.identity.low) == [6, 6])
  }

  /// Ends whose rows follow each other are one statement; what stands between them stays, and so does what has a name.
  @Test(arguments: [1, 2]) func manyEndTogetherAndOthersStay(times: Int) throws {
    let place = try Place()
    let store = try place.open()
    for row in UInt64(1)...12 {
      #expect(store.write(.insert(Made.message(row), Made.content(), once: row == 5 ? Made.once(5) : nil)))
    }
    #expect(store.write(.state(3, TryState(), result: [8]), .state(7, TryState(), result: [8])))
    let ends = [1, 2, 3, 4, 5, 6, 8, 9, 12, 11].map { (row: UInt64) in
      StoreChange.end(row, result: TryResult([7]), rememberedUntil: row == 5 ? 900 : nil)
    }
    for _ in 0..<times {
      var least: UInt64 = 2
      var jobs = ends.enumerated().map {
        StoreJob.write(StoreWrite(generation: 2, number: UInt64($0.offset), change: $0.element))
      }
      // Between two rows that follow each other: another one's end that was given up, and a read.
      let givenUp = StoreChange.end(10, result: TryResult([]), rememberedUntil: nil)
      jobs.insert(.write(StoreWrite(generation: 1, number: 1, change: givenUp)), at: 2)
      jobs.insert(.load(2), at: 2)
      let answers = store.carryOut(jobs, from: &least)
      guard answers.count == 2, case .storedUpTo(9) = answers[0], case .loaded(2, .damaged) = answers[1] else {
        Issue.record("\(answers)")
        return
      }
    }
    #expect(try store.rows() == [7, 10])
    #expect(try store.names(wall: 800).map(\.id.count) == [5])
    store.close()
    #expect(try sql(place.file, "SELECT group_concat(row) FROM state") == "7")
  }

  @Test func namesWhoseTimeIsOverGoAtTheStart() throws {
    let place = try Place()
    let store = try place.open()
    defer { withExtendedLifetime(place) {} }
    for row in UInt64(1)...6 {
      #expect(store.write(.insert(Made.message(row), Made.content(), once: Made.once(row, name: row))))
      #expect(store.write(.end(row, result: TryResult([7]), rememberedUntil: row == 3 ? 900 : 500)))
    }
    #expect(try store.names(wall: 600).map(\.id.count) == [3])
    #expect(try store.names(wall: 0).map(\.id.count) == [3])
  }

  @Test(arguments: [1, 2]) func aDeadLetterIsReadSentAgainAndDiscarded(times: Int) throws {
    let place = try Place()
    let store = try place.open()
    defer { withExtendedLifetime(place) {} }
    #expect(store.write(.insert(Made.message(1), Made.content("18"), once: Made.once(1))))
    #expect(store.write(.insert(Made.message(2), Made.content(), once: nil)))
    var state = TryState()
    (state.tries, state.place) = (3, 1)
    for _ in 0..<times { #expect(store.write(.dead(1, state, result: TryResult([8])))) }
    #expect(store.recall(1) == [8])
    guard case .dead(6, let dead?) = store.ask(.readDead(ticket: 6, rows: [1, 2, 3], withContent: false)) else {
      Issue.record("no dead letters")
      return
    }
    #expect(dead.count == 1 && dead[0].message.state.tries == 3 && dead[0].result == [8])
    #expect(dead[0].content?.payload == [] && dead[0].content?.head == Made.content().head)
    let new = Made.message(3, identity: "", resent: dead[0].message.id)
    for _ in 0..<times {
      #expect(store.write(.resend(new, Made.content("19"), old: 1, rememberedUntil: 900)))
    }
    let items = try store.items()
    guard items.count == 3, case .message(let again, _, false) = items[1], case .once(let once) = items[2] else {
      Issue.record("\(items)")
      return
    }
    #expect(again.row == 3 && again.identity == Array("web".utf8) && once.until == 900)
    #expect(store.recall(1) == [8])
    #expect(store.write(.dead(2, state, result: nil)))
    for _ in 0..<times { #expect(store.write(.discard(2, rememberedUntil: 0))) }
    #expect(try store.rows() == [3])
  }

  @Test func whatIsRemovedIsNotThereWhateverCameBefore() throws {
    let place = try Place()
    let store = try place.open()
    defer { withExtendedLifetime(place) {} }
    #expect(store.write(.remove(1), .insert(Made.message(1), Made.content(), once: Made.once(1)), .remove(1)))
    #expect(try store.items().isEmpty)
  }

  @Test func aReadSeesWhatWasWrittenBeforeItInTheSameCommit() throws {
    let place = try Place()
    let store = try place.open()
    defer { withExtendedLifetime(place) {} }
    var least: UInt64 = 0
    let insert = StoreWrite(generation: 1, number: 1, change: .insert(Made.message(1), Made.content(), once: nil))
    let end = StoreWrite(generation: 1, number: 2, change: .end(1, result: TryResult([]), rememberedUntil: nil))
    let answers = store.carryOut([.write(insert), .load(1), .write(end), .load(1)], from: &least)
    guard answers.count == 3, case .storedUpTo(2) = answers[0], case .loaded(1, .content) = answers[1],
      case .loaded(1, .damaged) = answers[2]
    else {
      Issue.record("\(answers)")
      return
    }
  }
}
