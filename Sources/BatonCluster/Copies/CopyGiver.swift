internal import BatonLasting
internal import BatonStore
internal import NATS
internal import UV

/// Gives other nodes a copy of the leader's store, piece by piece, over NATS. One copy at a time is made, by a process of its own
/// (`baton store backup`): whoever opens and closes the file in this process would let go SQLite's locks. All that ask get the same
/// one.
final class CopyGiver {
  private let store: String
  private let loop: Loop
  private let client: NATSClient
  private let tell: (NodeNote) -> Void
  private var state = State.none
  private var copies = 0
  /// When the latest one was begun, and how far the file had come then: so far the copy reaches at the least.
  private var madeAt: Int64 = 0
  private var reaches: UInt64 = 0
  /// Pieces that are being read.
  private var reads = 0

  private enum State {
    case none
    case making(ChildProcess)
    case lends(LentCopy, name: String, until: Int64)
    case failed(String, until: Int64)
  }

  /// For how many milliseconds a copy is kept after the last piece, and what went wrong is told.
  private static let patience: Int64 = 30_000
  private static let mostReads = 8
  /// Milliseconds between two copies, where one that is lent is too old.
  private static let pause: Int64 = 10_000
  /// Bytes that a copy leaves free on the disk of a leader, which accepts messages meanwhile.
  private static let leastFree = 128 << 20

  init(_ store: String, over client: NATSClient, on loop: Loop, tell: @escaping (NodeNote) -> Void) {
    (self.store, self.client, self.loop, self.tell) = (store, client, loop, tell)
    LentCopy.clear(beside: store)
  }

  /// A node asks. `free` is what this node's disk has, if that is known; `reaches` is the number of the log's last record in its file.
  func answer(_ message: NATSMessage, free: Int?, reaches: UInt64) {
    guard let reply = message.reply, let question = JSONText.read(CopyQuestion.self, message.payload) else { return }
    let now = BootClock.milliseconds
    turn(at: now)
    switch state {
    case .none:
      make(for: question.node, free: free, reaches: reaches)
      client.publish(answer.message(), to: reply)
    case .making, .failed: client.publish(answer.message(), to: reply)
    case .lends(let copy, let name, _):
      if question.copy == name, let offset = question.from {
        state = .lends(copy, name: name, until: now + CopyGiver.patience)
        return give(copy, at: offset, to: reply)
      }
      // The log goes on from this node's file, and from that copy no more.
      if question.copy == nil, let first = question.first, first > self.reaches + 1, first <= reaches + 1 {
        // Nobody has one made again and again.
        guard now - madeAt >= CopyGiver.pause else { return client.publish(CopyAnswer().message(), to: reply) }
        state = .none
        make(for: question.node, free: free, reaches: reaches)
      }
      client.publish(answer.message(), to: reply)
    }
  }

  private var answer: CopyAnswer {
    switch state {
    case .none, .making: CopyAnswer()
    case .lends(let copy, let name, _): CopyAnswer(copy: name, bytes: copy.count)
    case .failed(let why, _): CopyAnswer(why: why)
    }
  }

  /// Forgets what is over.
  func turn(at now: Int64) {
    switch state {
    case .lends(_, _, let until) where now >= until: state = .none
    case .failed(_, let until) where now >= until: state = .none
    default: break
    }
  }

  /// The node leads no longer.
  func end() {
    if case .making(let process) = state { process.kill(signal: CopyGiver.terminate) }
    state = .none
  }

  /// SIGTERM: it removes what it has begun.
  private static let terminate: Int32 = 15

  private func make(for node: String, free: Int?, reaches: UInt64) {
    (madeAt, self.reaches) = (BootClock.milliseconds, reaches)
    guard free.map({ $0 - CopyGiver.leastFree > LentCopy.size(of: store) }) ?? true else {
      return fail("the leader's disk has no room for a copy of its store")
    }
    LentCopy.clear(beside: store)
    let path = [ProgramPath.current, "/proc/self/exe"].compactMap(\.self).first {
      Executable.complaint(about: $0) == nil
    }
    let plan = ChildProcess.Plan(
      path: path ?? "", arguments: ["store", "backup", LentCopy.name(of: store), "--store", store])
    do throws(UVError) {
      let process = try ChildProcess(plan, on: loop) { [unowned self] in ended($0) }
      process.output.close()
      state = .making(process)
      tell(NodeNote("a copy of the store is made for another node", [("node", "\(node.prefix(64))")]))
    } catch {
      fail("the leader cannot make a copy of its store: \(error)")
    }
  }

  private func ended(_ ending: ChildProcess.Ending) {
    guard case .making(let process) = state else { return }
    process.close()
    guard let copy = LentCopy(beside: store) else {
      return fail("the leader could not make a copy of its store; see its log")
    }
    copies += 1
    state = .lends(
      copy, name: "\(BootClock.milliseconds)-\(copies)", until: BootClock.milliseconds + CopyGiver.patience)
  }

  private func fail(_ why: String) {
    state = .failed(why, until: BootClock.milliseconds + CopyGiver.patience)
    tell(NodeNote(isWarning: true, "no copy of the store is made for another node", [("why", why)]))
  }

  private func give(_ copy: LentCopy, at offset: Int, to reply: String) {
    // Whoever is not answered asks again.
    guard reads < CopyGiver.mostReads else { return }
    reads += 1
    let piece = Piece()
    let head = answer
    _ = try? Work.run(on: loop) {
      piece.bytes = copy.bytes(at: offset, upTo: CopyAnswer.mostBytes)
    } end: { [unowned self] _ in
      reads -= 1
      client.publish(head.message(piece.bytes), to: reply)
    }
  }

  /// `@unchecked` because two threads use it one after the other.
  private final class Piece: @unchecked Sendable { var bytes: [UInt8] = [] }
}
