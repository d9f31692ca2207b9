import BatonKeeper
import BatonLasting
import Testing

/// What the keeper takes in, and when it has no room.
@Suite struct KeeperRoomTests {
  private func refusal(_ keeper: inout Keeper, at now: UInt64) -> DurableRefusal? {
    keeper.takeIn(KeeperTests.send(now))
    for output in KeeperTests.turn(&keeper, at: now) {
      if case .refused(_, let refusal) = output { return refusal }
    }
    return nil
  }

  @Test func nothingIsTakenInWhereTheDiskHasTooLittleFree() {
    var keeper = KeeperTests.keeper { $0.freeBytes = 1000 }
    keeper.diskHasFree(bytes: 1000)
    #expect(refusal(&keeper, at: 2) == nil)
    // What was taken in is not written yet, and takes its part of what is free.
    keeper.diskHasFree(bytes: 1001)
    #expect(refusal(&keeper, at: 3) == .noRoom(.freeBytes))
    #expect(keeper.findings() == [.near(.freeBytes, used: 999, of: 1000)])
    keeper.diskHasFree(bytes: 5000)
    #expect(refusal(&keeper, at: 4) == nil)
  }

  /// The file does not shrink by itself. What has gone leaves room in it.
  @Test func roomWithinTheFileCountsWhileTheDiskHasRoomForTheLog() {
    var keeper = KeeperTests.keeper { $0.freeBytes = 1000 }
    keeper.diskHasFree(bytes: 500, inFile: 499)
    #expect(refusal(&keeper, at: 2) == .noRoom(.freeBytes))
    keeper.diskHasFree(bytes: 500, inFile: 500)
    #expect(refusal(&keeper, at: 3) == nil)
    keeper.diskHasFree(bytes: 499, inFile: 5000)
    #expect(refusal(&keeper, at: 4) == .noRoom(.freeBytes))
    // A disk may have more than can be counted.
    keeper.diskHasFree(bytes: .max, inFile: 5000)
    #expect(refusal(&keeper, at: 5) == nil)
  }

  /// What is only in the log takes room on the disk when it comes into the file.
  @Test func whatTheFileIsStillToGrowByIsTakenOff() {
    var keeper = KeeperTests.keeper { $0.freeBytes = 1000 }
    keeper.diskHasFree(bytes: 1500, inFile: -501)
    #expect(refusal(&keeper, at: 2) == .noRoom(.freeBytes))
    keeper.diskHasFree(bytes: 1500, inFile: -500)
    #expect(refusal(&keeper, at: 3) == nil)
  }

  /// A flood does not go to the disk in one commit.
  @Test func theStoreGetsSoManyBytesAtOnce() {
    var keeper = KeeperTests.keeper { $0.bytesAtOnce = 5 }
    for ticket in UInt64(1)...9 { keeper.takeIn(KeeperTests.send(ticket)) }
    func given(at now: UInt64) -> [UInt64] {
      KeeperTests.turn(&keeper, at: now).compactMap { if case .write(let write) = $0 { write.number } else { nil } }
    }
    // Two bytes each.
    #expect(given(at: 2) == [1, 2, 3])
    #expect(given(at: 3).isEmpty)
    #expect(keeper.wakeAt.map { $0 > 3 } ?? true, "it waits for the store, and not in a circle")
    keeper.storedUpTo(2)
    #expect(given(at: 4).prefix(2) == [4, 5])
  }

  /// Who sends much does not keep others waiting: senders take turns, each with 16 KiB.
  @Test func whoSendsLittleIsNotBehindWhoSendsMuch() {
    var keeper = KeeperTests.keeper { $0.bytesAtOnce = 100_000 }
    func send(_ ticket: UInt64, from sender: UInt64, bytes: Int) {
      var send = KeeperTests.send(ticket, payload: [UInt8](repeating: 1, count: bytes))
      send.sender = sender
      keeper.takeIn(send)
    }
    /// Whose messages go to the disk, by the sizes of their payloads.
    func given(at now: UInt64) -> [Int] {
      let outputs = KeeperTests.turn(&keeper, at: now)
      for case .write(let write) in outputs { keeper.storedUpTo(write.number) }
      return outputs.compactMap {
        guard case .write(let write) = $0, case .insert(_, let content, _) = write.change else { return nil }
        return content.payload.count
      }
    }
    for ticket in UInt64(1)...40 { send(ticket, from: 7, bytes: 50_000) }
    for ticket in UInt64(41)...80 { send(ticket, from: 8, bytes: 50_000) }
    // The first ones find room; all others are in lines.
    #expect(given(at: 2) == [50_000, 50_000])
    send(81, from: 9, bytes: 10)
    send(82, from: 9, bytes: 10)
    #expect(keeper.isQuiet == false)
    #expect(given(at: 3).prefix(2) == [10, 10], "two turns of the others bring nothing yet")
    var rest: [Int] = []
    for now in UInt64(4)...60 { rest += given(at: now) }
    #expect(rest.count + 2 >= 78 && rest.allSatisfy { $0 == 50_000 })
  }

  /// Results on their way to the disk count as what they bring, and while there are many, no try begins.
  @Test func resultsCountOnTheirWayToTheDisk() {
    var keeper = KeeperTests.keeper {
      $0.bytesAtOnce = 10
      $0.freeBytes = 1000
    }
    keeper.changed(DurableWindow(chain: [97], window: 8))
    keeper.diskHasFree(bytes: 5000)
    for ticket in UInt64(1)...4 { keeper.takeIn(KeeperTests.send(ticket, once: [UInt8(ticket)])) }
    var begun: [StoredID] = []
    for now in UInt64(2)...3 {
      for output in KeeperTests.turn(&keeper, at: now) {
        if case .write(let write) = output { keeper.storedUpTo(write.number) }
        if case .begin(let attempt) = output { begun.append(attempt.stored) }
      }
    }
    #expect(begun.count == 4)
    for id in begun { keeper.tryEnded(id, TryEnd(.handled, result: [UInt8](repeating: 1, count: 100))) }
    keeper.takeIn(KeeperTests.send(5))
    func ends(at now: UInt64) -> Int {
      KeeperTests.turn(&keeper, at: now).count {
        if case .write(let write) = $0, case .end = write.change { keeper.storedUpTo(write.number) }
        if case .write(let write) = $0, case .insert(let row, _, _) = write.change {
          #expect(!row.state.isUnderWay, "too many results are on their way")
        }
        if case .write(let write) = $0, case .end = write.change { return true }
        return false
      }
    }
    #expect(ends(at: 4) == 1, "the store gets so many bytes at once")
    keeper.diskHasFree(bytes: 5000)
    #expect(keeper.findings().allSatisfy { if case .near(.freeBytes, _, _, _) = $0 { false } else { true } })
    keeper.diskHasFree(bytes: 1300)
    #expect(keeper.lacksRoomOnDisk == true, "what is not written yet takes its part")
    keeper.diskHasFree(bytes: 5000)
    #expect((5...9).reduce(0) { $0 + ends(at: UInt64($1)) } == 3)
  }

  /// Large messages that are tried again do not keep the store from its commits. Each answer makes room, also one that
  /// nobody waits for any more.
  @Test func theStoreReadsSoManyBytesAtOnce() {
    var keeper = KeeperTests.keeper { $0.bytesReadAtOnce = 3 }
    keeper.changed(DurableWindow(chain: [97], window: 8))
    func turn(at now: UInt64) -> [KeeperOutput] {
      let outputs = KeeperTests.turn(&keeper, at: now)
      for case .write(let write) in outputs { keeper.storedUpTo(write.number) }
      return outputs
    }
    func read(at now: UInt64) -> [UInt64] {
      (turn(at: now) + turn(at: now)).compactMap { if case .load(let row) = $0 { row } else { nil } }
    }
    // Two bytes each; their retries are due at one time.
    for ticket in UInt64(1)...5 { keeper.takeIn(KeeperTests.send(ticket)) }
    for now in UInt64(2)...5 {
      for case .begin(let attempt) in turn(at: now) { keeper.tryEnded(attempt.stored, TryEnd(.unhandled, result: [])) }
    }
    let content = Loaded.content(KeeperTests.send(1).content, result: nil, resent: nil)
    #expect(read(at: 50_000) == [1, 2])
    #expect(keeper.counts().open == 2, "what the store cannot read yet has not been chosen")
    #expect(read(at: 50_001).isEmpty)
    #expect(keeper.wakeAt.map { $0 > 50_001 } ?? true, "it waits for the store, and not in a circle")
    keeper.loaded(1, content)
    #expect(read(at: 50_002) == [3])
    // What could not be read is asked for again, behind those that came before.
    keeper.loaded(2, .failed)
    #expect(read(at: 52_000) == [2])
    for row in [3, 2] as [UInt64] { keeper.loaded(row, content) }
    #expect(read(at: 52_001) == [4, 5])
  }

  /// A page of dead letters is read in one piece.
  @Test func aPageOfLargeDeadLettersIsShort() {
    var keeper = KeeperTests.keeper { $0.bytesReadAtOnce = 3 }
    for ticket in UInt64(1)...3 { keeper.takeIn(KeeperTests.send(ticket, tries: 1)) }
    for now in UInt64(2)...6 {
      for output in KeeperTests.turn(&keeper, at: now) {
        if case .write(let write) = output { keeper.storedUpTo(write.number) }
        if case .begin(let attempt) = output { keeper.tryEnded(attempt.stored, TryEnd(.unhandled, result: [])) }
      }
    }
    let page = keeper.deadLetters(of: [97], after: nil, limit: 10)
    #expect(page.ids.map(\.count) == [1, 2] && page.more)
    let rest = keeper.deadLetters(of: [97], after: page.ids.last, limit: 10)
    #expect(rest.ids.map(\.count) == [3] && !rest.more)
  }

  @Test func otherLimitsHoldFromThenOn() {
    var keeper = KeeperTests.keeper()
    #expect(refusal(&keeper, at: 2) == nil)
    var limits = KeeperLimits()
    limits.storedMessages = 1
    keeper.take(limits)
    #expect(refusal(&keeper, at: 3) == .noRoom(.messages))
    #expect(keeper.figures(of: [97]).messages == 1)
  }

  @Test func aWiderWindowLetsMoreBegin() {
    var keeper = KeeperTests.keeper()
    keeper.changed(DurableWindow(chain: [97], window: 1))
    for ticket in UInt64(1)...3 { keeper.takeIn(KeeperTests.send(ticket)) }
    func begun(at now: UInt64) -> Int {
      var begun = 0
      for _ in 0..<4 {
        for output in KeeperTests.turn(&keeper, at: now) {
          switch output {
          case .write(let write): keeper.storedUpTo(write.number)
          case .load(let row):
            keeper.loaded(
              row, .content(DurableContent(head: [1], from: [], key: nil, payload: [1]), result: nil, resent: nil))
          case .begin: begun += 1
          default: break
          }
        }
      }
      return begun
    }
    #expect(begun(at: 2) == 1)
    #expect(keeper.figures(of: [97]).due == 2)
    keeper.changed(DurableWindow(chain: [97], window: 3))
    #expect(begun(at: 3) == 2)
    #expect(keeper.figures(of: [97]).underWay == 3)
  }

  /// Nobody serves, and many tries of one identity are chosen. A link that takes one message at a time comes before their
  /// marks are on disk: then others have their turn.
  @Test func whatHasNoPlaceInANarrowerWindowTakesTurnsAgain() {
    var keeper = KeeperTests.keeper()
    var tickets: [StoredID: UInt64] = [:]
    var begun: [UInt64?] = []
    func takeIn(_ ticket: UInt64, from identity: UInt8) {
      var send = KeeperTests.send(ticket)
      send.identity = [identity]
      keeper.takeIn(send)
    }
    func step() {
      for output in KeeperTests.turn(&keeper, at: 2) {
        switch output {
        case .write(let write): keeper.storedUpTo(write.number)
        case .load(let row):
          keeper.loaded(
            row, .content(DurableContent(head: [1], from: [], key: nil, payload: [1]), result: nil, resent: nil))
        case .accepted(let ticket, let id, _): tickets[id] = ticket
        case .begin(let attempt):
          begun.append(tickets[attempt.stored])
          keeper.tryEnded(attempt.stored, TryEnd(.handled, result: [110], counts: true, wasOffered: true))
        default: break
        }
      }
    }
    for ticket in UInt64(1)...4 { takeIn(ticket, from: 1) }
    step()
    takeIn(9, from: 2)
    keeper.changed(DurableWindow(chain: [97], window: 1))
    for _ in 0..<30 { step() }
    #expect(begun.count == 5 && begun.prefix(3).contains(9))
  }

  @Test func eachMessageIsFoundHoweverManyThereAre() {
    var keeper = KeeperTests.keeper { $0.openTries = 0 }
    var ids: [StoredID] = []
    for ticket in UInt64(1)...3000 {
      keeper.takeIn(KeeperTests.send(ticket, once: [UInt8(ticket & 255), UInt8(ticket >> 8)]))
      for output in KeeperTests.turn(&keeper, at: 2) {
        if case .write(let write) = output, case .insert(let row, _, _) = write.change {
          ids.append(row.id)
          keeper.storedUpTo(write.number)
        }
      }
    }
    #expect(ids.count == 3000 && ids.allSatisfy { keeper.status(of: $0)?.state != nil })
    // The last one is known to be on disk.
    _ = KeeperTests.turn(&keeper, at: 2)
    // Each is known by its name, and whoever sent it may go.
    for ticket in UInt64(1)...3000 {
      keeper.senderGone(ticket)
      keeper.takeIn(KeeperTests.send(ticket + 3000, once: [UInt8(ticket & 255), UInt8(ticket >> 8)]))
    }
    var known: [StoredID] = []
    while let output = keeper.next() { if case .accepted(_, let id, true) = output { known.append(id) } }
    #expect(known == ids)
    // They expire; then there is nothing but dead letters.
    while keeper.figures(of: nil).messages > 0 {
      for output in KeeperTests.turn(&keeper, at: 60_002) {
        if case .write(let write) = output { keeper.storedUpTo(write.number) }
      }
    }
    #expect(ids.allSatisfy { keeper.status(of: $0)?.state == .dead })
    for (ticket, id) in ids.enumerated() where ticket % 3 != 0 { keeper.discard(id, ticket: UInt64(ticket + 9000)) }
    for _ in 0..<40 {
      for output in KeeperTests.turn(&keeper, at: 60_003) {
        if case .load(let row) = output { keeper.loaded(row, .damaged) }
        if case .write(let write) = output { keeper.storedUpTo(write.number) }
      }
    }
    #expect(ids.enumerated().allSatisfy { (keeper.status(of: $1) == nil) == ($0 % 3 != 0) })
  }

  /// Thousands of messages may expire at the same instant. Each turn tells of a few, and asks for the next turn.
  @Test func whatDiesAtOneInstantIsToldInPieces() {
    var keeper = KeeperTests.keeper { $0.stepsPerTurn = 4 }
    for ticket in UInt64(1)...32 {
      var send = KeeperTests.send(ticket)
      send.delayMilliseconds = 60_000
      keeper.takeIn(send)
    }
    var last: UInt64 = 0
    func turn(at now: UInt64) -> Int {
      KeeperTests.turn(&keeper, at: now).count {
        if case .write(let write) = $0 { last = write.number }
        if case .result(_, _, true, _) = $0 { return true }
        return false
      }
    }
    for now in UInt64(2)...5 {
      _ = turn(at: now)
      keeper.storedUpTo(last)
    }
    // All are written as dead before the disk says that it has any of them.
    for _ in 0..<40 { #expect(turn(at: 60_003) == 0) }
    #expect(last == 64)
    keeper.storedUpTo(last)
    for _ in 0..<8 {
      #expect(turn(at: 60_004) == 4)
      #expect((keeper.wakeAt == 60_004) == (keeper.counts().waiting > 0))
    }
    #expect(keeper.counts().waiting == 0)
  }
}
