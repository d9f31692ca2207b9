internal import BatonLasting

/// A leader's hand at the log: it writes one record at a time. Events and the time go in, effects come out; it has no sockets,
/// no clock and no chance. All times are milliseconds of one clock.
///
/// Each message expects a number of the stream that was *answered*, never one that is hoped for, and one message is under way at
/// a time. That is the fence: once another leader has written, nothing of this one is taken any more, whatever its clock says.
/// (Messages sent ahead break it: one of them is refused, and those behind it are taken.)
package struct LogWriter {
  /// What happens.
  package enum Event: Equatable {
    /// The stream can be reached from now on, or not any more. Questions that were open have no answer.
    case connected, lost
    /// A message is answered, however late.
    case answered(attempt: Int, Answer)
    /// A question is answered.
    case looked(question: Int, Look)
    /// It is as late as `wakeAt` said.
    case tick
  }

  /// What came of a message.
  package enum Answer: Equatable {
    /// The stream has it under this number.
    case number(UInt64)
    case refused
    /// That is not known.
    case none
  }

  /// What the stream ends with.
  package enum Look: Equatable {
    /// Its messages have these numbers, and the last one is this; nil if there is none.
    case end(first: UInt64, last: UInt64, [UInt8]?)
    /// There is no stream.
    case gone
    /// That is not known.
    case noAnswer
  }

  /// What is to be done.
  package enum Effect: Equatable {
    /// Publish this, if the stream's last number is the expected one, and say `answered`.
    case publish([UInt8], expecting: UInt64, attempt: Int)
    /// Read the stream's end, and say `looked`.
    case look(question: Int)
    /// The record is written, and its last part has this number.
    case written(UInt64)
    /// There is no answer in time. It is still tried.
    case isLate
    /// What is under way was not written, and more stands at the end: it has to be read first.
    case readOn
    /// Another leader has written: this one is none any more.
    case fenced
    /// The stream was lost, or went back: it ends with this number now. What was written is in the leader's own file.
    case isLost(end: UInt64)
  }

  /// The last number of the stream that is known.
  package private(set) var end: UInt64
  private let storeMs: Int64
  private let lostMs: Int64
  private let epoch: Int64
  private var isConnected = true
  /// What is under way: its parts, and which of them is next.
  private var parts: [LogRecord] = []
  private var part = 0
  private var isOpening = false
  private var isLate = false
  private var lateAt: Int64 = 0
  /// Messages of this part, and what they expected.
  private var attempts: [(number: Int, expected: UInt64)] = []
  private var lastAttempt = 0
  private var question: Int?
  private var lastQuestion = 0
  private var nextLook: Int64 = .max
  /// Since when the stream is lost; nil if it is not.
  private var lostSince: Int64?
  private var isOver = false

  /// A leader of this number, for which the stream ends with `end`. An answer is late after `storeMs`, and a stream is lost when it
  /// has been so for `lostMs`.
  package init(epoch: Int64, end: UInt64, storeMs: Int64, lostMs: Int64) {
    (self.epoch, self.end, self.storeMs, self.lostMs) = (epoch, end, storeMs, lostMs)
  }

  /// Whether a record is under way.
  package var isBusy: Bool { !parts.isEmpty }

  /// When `tick` is due at the latest.
  package var wakeAt: Int64 {
    guard isBusy, !isOver else { return .max }
    return min(isLate ? .max : lateAt, isConnected && question == nil ? nextLook : .max)
  }

  /// Writes a record, while none is under way. `opens`: nothing may have come behind what was read before.
  package mutating func write(_ record: [LogRecord], opens: Bool = false, at now: Int64) -> [Effect] {
    (parts, part, isOpening, isLate, attempts, lostSince) = (record, 0, opens, false, [], nil)
    lateAt = now + storeMs
    var effects: [Effect] = []
    if isConnected { publish(at: now, &effects) }
    return effects
  }

  /// The log goes on at this end of another stream, or is read to this end: what was under way is given up.
  package mutating func start(at end: UInt64) {
    (self.end, parts, attempts, lostSince) = (end, [], [], nil)
  }

  /// Something has happened.
  package mutating func take(_ event: Event, at now: Int64) -> [Effect] {
    var effects: [Effect] = []
    guard !isOver else { return [] }
    switch event {
    case .connected:
      (isConnected, question) = (true, nil)
      if isBusy { look(at: now, &effects) }
    case .lost: (isConnected, question) = (false, nil)
    case .answered(let number, let answer):
      guard let attempt = attempts.first(where: { $0.number == number }) else { break }
      // An error has a number, too: 0. Only the one that was to come counts.
      if answer == .number(attempt.expected + 1) {
        goOn(from: attempt.expected + 1, at: now, &effects)
      } else if attempt.number == attempts.last?.number, answer != .none {
        look(at: now, &effects)
      }
    case .looked(let number, let seen):
      guard number == question else { break }
      question = nil
      take(seen, at: now, &effects)
    case .tick: break
    }
    guard isBusy, !isOver else { return effects }
    if !isLate, now >= lateAt {
      isLate = true
      effects.append(.isLate)
    }
    if now >= nextLook { look(at: now, &effects) }
    return effects
  }

  private mutating func publish(at now: Int64, _ effects: inout [Effect]) {
    lastAttempt += 1
    attempts.append((lastAttempt, end))
    if attempts.count > LogWriter.mostAttempts { attempts.removeFirst() }
    nextLook = now + storeMs
    effects.append(.publish(parts[part].bytes, expecting: end, attempt: lastAttempt))
  }

  /// Messages whose answers may still come.
  private static let mostAttempts = 16

  private mutating func look(at now: Int64, _ effects: inout [Effect]) {
    guard isConnected, question == nil else { return }
    lastQuestion += 1
    question = lastQuestion
    nextLook = now + storeMs
    effects.append(.look(question: lastQuestion))
  }

  /// This part is in the stream.
  private mutating func goOn(from number: UInt64, at now: Int64, _ effects: inout [Effect]) {
    (end, attempts, lostSince) = (number, [], nil)
    // An open question was about the part before.
    question = nil
    part += 1
    guard part == parts.count else { return publish(at: now, &effects) }
    parts = []
    effects.append(.written(number))
  }

  private mutating func take(_ seen: Look, at now: Int64, _ effects: inout [Effect]) {
    guard isBusy else { return }
    switch seen {
    case .noAnswer: return
    case .gone: return lose(0, at: now, &effects)
    case .end(let first, let number, let message):
      let record = message.flatMap { try? LogRecord($0) }
      if let record, record.place.epoch > epoch {
        isOver = true
        return effects.append(.fenced)
      }
      // What was answered is there, unless the stream is another one, or went back.
      guard number >= end, first <= end + 1 else { return lose(number, at: now, &effects) }
      lostSince = nil
      if number == end { return publish(at: now, &effects) }
      if record == parts[part] { return goOn(from: number, at: now, &effects) }
      guard !isOpening else {
        (end, parts, attempts) = (number, [], [])
        return effects.append(.readOn)
      }
      // Whatever has come is void. Parts of a record follow each other directly.
      (end, attempts, part) = (number, [], 0)
      publish(at: now, &effects)
    }
  }

  /// The stream has less than was answered. That may pass: a server of NATS is put back, or was asked too early.
  private mutating func lose(_ number: UInt64, at now: Int64, _ effects: inout [Effect]) {
    let since = lostSince ?? now
    lostSince = since
    guard now - since >= lostMs else { return nextLook = min(nextLook, now + max(1, storeMs / 4)) }
    (parts, attempts, lostSince) = ([], [], nil)
    effects.append(.isLost(end: number))
  }
}
