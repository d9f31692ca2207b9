internal import BatonLasting
internal import BatonStore
internal import NATS
internal import UV

/// Takes a copy of the leader's store over NATS, piece by piece, for a node whose own store lacks what the log has not any more.
final class CopyTaker {
  enum News {
    /// So many hundredths of it have come.
    case comes(percent: Int)
    /// It is whole, and so it was found.
    case isThere(ComingCopy, ComingCopy.Found)
    case fails(String)
  }

  private let store: String
  private let plan: ClusterPlan
  private let leader: String
  /// The number of the first message that the log had.
  private let first: UInt64?
  private let loop: Loop
  private let client: NATSClient
  private let tell: (News) -> Void
  private var timer: Timer?
  private var copy: (file: ComingCopy, name: String)?
  /// Where the next piece begins.
  private var next = 0
  /// Pieces that were asked for and are not written; those to ask for again.
  private var open = 0
  private var again: [Int] = []
  private var written = 0
  /// Questions in a row without what was asked for.
  private var silences = 0
  private var isOver = false

  private static let mostOpen = 4
  private static let patience: Int64 = 5000
  /// Milliseconds until it is asked again whether the copy is made.
  private static let pause: Int64 = 500
  private static let mostSilences = 12

  /// Begins to ask the leader.
  init(
    _ store: String, _ plan: ClusterPlan, from leader: String, first: UInt64?, over client: NATSClient, on loop: Loop,
    tell: @escaping (News) -> Void
  ) throws(UVError) {
    (self.store, self.plan, self.leader, self.first) = (store, plan, leader, first)
    (self.client, self.loop, self.tell) = (client, loop, tell)
    timer = try Timer(on: loop) { [unowned self] in askForCopy() }
    askForCopy()
  }

  /// Gives it up.
  func close() {
    isOver = true
    timer?.close()
    copy?.file.remove()
    copy = nil
  }

  private func ask(_ question: CopyQuestion, _ answered: @escaping (CopyAnswer?, ArraySlice<UInt8>) -> Void) {
    client.ask(JSONText.write(question), at: plan.subject(of: leader), within: CopyTaker.patience) {
      [weak self] message in
      guard let self, !isOver else { return }
      guard let message, message.status == nil, let (answer, piece) = CopyAnswer.read(message.payload) else {
        silences += 1
        if silences > CopyTaker.mostSilences { return fail("the leader does not answer") }
        return answered(nil, [])
      }
      if let why = answer.why { return fail(why) }
      answered(answer, piece)
    }
  }

  private func askForCopy() {
    ask(CopyQuestion(node: plan.terms.node, first: first)) { [unowned self] answer, _ in
      if answer != nil { silences = 0 }
      guard let name = answer?.copy, let count = answer?.bytes, count > 0 else {
        timer?.set(microseconds: MonotonicClock.microseconds + CopyTaker.pause * 1000)
        return
      }
      do throws(StoreError) {
        copy = (try ComingCopy(beside: store, count: count), name)
        goOn()
      } catch {
        fail(error.description)
      }
    }
  }

  private func goOn() {
    guard let (file, name) = copy else { return }
    while open < CopyTaker.mostOpen {
      let offset: Int
      if let one = again.popLast() {
        offset = one
      } else if next < file.count {
        offset = next
        next += CopyAnswer.mostBytes
      } else {
        return
      }
      open += 1
      ask(CopyQuestion(node: plan.terms.node, copy: name, from: offset)) { [unowned self] answer, piece in
        take(piece, at: offset, of: answer)
      }
    }
  }

  private func take(_ piece: ArraySlice<UInt8>, at offset: Int, of answer: CopyAnswer?) {
    guard let (file, name) = copy else { return }
    open -= 1
    if let answer, answer.copy != name || answer.bytes != file.count { return fail("the leader has that copy no more") }
    guard piece.count == min(CopyAnswer.mostBytes, file.count - offset) else {
      again.append(offset)
      // Whoever answers with too little may do so again.
      if answer != nil { silences += 1 }
      if silences > CopyTaker.mostSilences { return fail("the leader's disk does not give its copy") }
      return goOn()
    }
    silences = 0
    open += 1
    carryOut {
      try file.write(Array(piece), at: offset)
    } end: { [unowned self] in
      open -= 1
      written += piece.count
      tell(.comes(percent: written * 100 / file.count))
      if written == file.count { check(file) } else { goOn() }
    }
  }

  private func check(_ file: ComingCopy) {
    let found = Found()
    carryOut {
      found.copy = try file.check()
    } end: { [unowned self] in
      guard let copy = found.copy else { return }
      isOver = true
      timer?.close()
      tell(.isThere(file, copy))
    }
  }

  private func fail(_ why: String) {
    guard !isOver else { return }
    close()
    tell(.fails(why))
  }

  /// Does what may wait for the disk on another thread.
  private func carryOut(_ work: @escaping @Sendable () throws -> Void, end: @escaping () -> Void) {
    let found = Found()
    do throws(UVError) {
      _ = try Work.run(on: loop) {
        do { try work() } catch { found.why = "\(error)" }
      } end: { [weak self] _ in
        guard let self, !isOver else { return }
        if let why = found.why { return fail(why) }
        end()
      }
    } catch {
      fail("\(error)")
    }
  }

  /// `@unchecked` because two threads use it one after the other.
  private final class Found: @unchecked Sendable {
    var why: String?
    var copy: ComingCopy.Found?
  }
}
