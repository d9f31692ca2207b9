package import BatonLasting

/// A node's part in a log: as a spare it carries out what the log has; as the leader it reads to the end, writes that it leads,
/// and then what is to be kept. Events and the time go in, effects come out; it has no sockets, no disk, no clock and no chance.
/// All times are milliseconds of one clock.
///
/// What a leader is told to be `written` is in the stream; it counts when its own file has it, too.
package struct NodeLog {
  /// What happens.
  package enum Event: Equatable {
    /// The stream can be reached from now on, or not any more. Questions that were open have no answer.
    case connected, lost
    /// The stream has messages of these numbers; `last` is less than `first` if it has none.
    case seen(question: Int, first: UInt64, last: UInt64)
    /// There is no stream.
    case gone(question: Int)
    /// Messages from the number on that was asked for, in their order; none: there is none so far.
    case read(question: Int, [Message])
    case noAnswer(question: Int)
    /// The file has all up to this position.
    case applied(LogPosition)
    /// The node leads from now on. Where a log begins, it has this name, and begins with these facts of the file.
    case leads(epoch: Int64, name: LogName, base: [UInt8])
    /// Another node that lives has come so far.
    case heard(LogPosition)
    /// The leader commits this, while nothing is under way.
    case write([UInt8])
    /// A log begins again with these facts of the file.
    case begins(name: LogName, base: [UInt8])
    case writer(LogWriter.Event)
    /// It is as late as `wakeAt` said.
    case tick
  }

  /// A message of the stream.
  package struct Message: Equatable {
    package var sequence: UInt64
    package var bytes: [UInt8]

    package init(sequence: UInt64, bytes: [UInt8]) { (self.sequence, self.bytes) = (sequence, bytes) }
  }

  /// What is to be done.
  package enum Effect: Equatable {
    /// Ask which messages the stream has, and say `seen`, `gone` or `noAnswer`.
    case look(question: Int)
    /// Read messages from this number on, and say `read` or `noAnswer`.
    case read(question: Int, from: UInt64)
    /// Have the file carry this out, after what it was given before, and say `applied`.
    case apply([LogStep])
    /// The leader may commit from now on.
    case isOpen
    /// What was to be committed is in the stream: have the file carry it out.
    case written(LogStep)
    /// There is no answer in time. It is still tried.
    case isLate
    /// The stream was lost: say `begins` once the file has all that was written.
    case needsBase
    /// The node leads no longer: why.
    case ends(String)
    /// A message of the stream is none of a log.
    case strange
    /// What the writer wants: `publish` and `look`.
    case writer(LogWriter.Effect)
  }

  private enum Phase { case follows, opens, leads, over }

  private var phase = Phase.follows
  private var reader: LogReader
  private var writer: LogWriter
  private let storeMs: Int64
  private let lostMs: Int64
  private let mostBytes: Int
  private var isConnected = false
  private var question: Int?
  private var lastQuestion = 0
  private var nextLook: Int64 = 0
  /// Whether the next question reads on, for there is more.
  private var readsOn = false
  /// The numbers of the stream's messages, as they were seen last, and when that was.
  private var sight: (first: UInt64, last: UInt64, at: Int64)?
  /// When the stream was seen of which the file has all; nil: of none so far.
  private var inStepAt: Int64?
  /// The end that it had when it was looked at last while the file had less, and when that was.
  private var goal: (last: UInt64, at: Int64)?
  /// What the file carries out, and has not committed.
  private var applying: LogPosition?
  /// How far the node has come that has come farthest, of the others that were heard.
  private var heard: LogPosition?
  // As a leader:
  private var epoch: Int64 = 0
  private var birth: (name: LogName, base: [UInt8])?
  /// The last record that was written.
  private var last: LogPosition?
  private var underWay: LogRecord?
  private var waitsForBase = false
  /// What is to be committed, while a log begins again.
  private var pending: [UInt8]?

  /// How often a spare looks whether there is more, in milliseconds.
  private static let pause: Int64 = 100
  /// A spare that has not had all for so long is not in step.
  private static let freshMs: Int64 = 2000

  /// A node whose file has come so far; nil: it is empty, and was in no log. No message is longer than `mostBytes`.
  package init(_ position: LogPosition?, storeMs: Int64, lostMs: Int64, mostBytes: Int) {
    reader = LogReader(position)
    writer = LogWriter(epoch: 0, end: 0, storeMs: storeMs, lostMs: lostMs)
    (self.storeMs, self.lostMs, self.mostBytes) = (storeMs, lostMs, mostBytes)
  }

  /// The number of the first message that the stream had at the last look; nil: there was none.
  package var first: UInt64? { sight?.first }

  /// When `tick` is due at the latest.
  package var wakeAt: Int64 {
    switch phase {
    case .follows, .opens:
      let look = isConnected && question == nil && applying == nil && !writer.isBusy ? nextLook : .max
      return min(look, writer.wakeAt)
    case .leads: return writer.wakeAt
    case .over: return .max
    }
  }

  /// Why the node could not lead now; nil if it could.
  package func whyNot(at now: Int64) -> LogReader.Stop? {
    if let stop = reader.stop { return stop }
    guard let sight, now - sight.at <= NodeLog.freshMs, let inStepAt, now - inStepAt <= NodeLog.freshMs else {
      return .isReading
    }
    let why = reader.whyNot(first: sight.first, last: sight.last)
    // What has come since is read before it leads.
    return why == .isReading ? nil : why
  }

  /// Something has happened.
  package mutating func take(_ event: Event, at now: Int64) -> [Effect] {
    guard phase != .over else { return [] }
    var effects: [Effect] = []
    switch event {
    case .connected:
      (isConnected, question, nextLook) = (true, nil, now)
      tell(.connected, at: now, &effects)
    case .lost:
      (isConnected, question) = (false, nil)
      tell(.lost, at: now, &effects)
      if phase == .opens { endOpening(&effects) }
    case .seen(let number, let first, let last): if answers(number) { see(first, last, at: now, &effects) }
    // A stream that is made later has messages of later numbers.
    case .gone(let number): if answers(number) { see(1, 0, at: now, &effects) }
    case .read(let number, let messages): if answers(number) { read(messages, at: now, &effects) }
    case .noAnswer(let number): if answers(number) { nextLook = now + NodeLog.pause }
    case .applied(let position): applied(position, at: now, &effects)
    case .leads(let epoch, let name, let base):
      (phase, self.epoch, birth) = (.opens, epoch, (name, base))
      if isConnected { lookAnew(at: now) } else { endOpening(&effects) }
    case .heard(let position): if heard.map({ position.isFarther(than: $0) }) ?? true { heard = position }
    case .write(let body): write(body, at: now, &effects)
    case .begins(let name, let base): beginAgain(name, base, at: now, &effects)
    case .writer(let event): tell(event, at: now, &effects)
    case .tick: tell(.tick, at: now, &effects)
    }
    goOn(at: now, &effects)
    return effects
  }

  private mutating func answers(_ number: Int) -> Bool {
    guard number == question else { return false }
    question = nil
    return true
  }

  /// Does what is due.
  private mutating func goOn(at now: Int64, _ effects: inout [Effect]) {
    guard phase == .follows || phase == .opens, isConnected, question == nil, applying == nil, !writer.isBusy,
      now >= nextLook || readsOn
    else { return }
    lastQuestion += 1
    question = lastQuestion
    nextLook = now + NodeLog.pause
    effects.append(readsOn ? .read(question: lastQuestion, from: reader.next) : .look(question: lastQuestion))
    readsOn = false
  }

  // MARK: Reading

  private mutating func see(_ first: UInt64, _ last: UInt64, at now: Int64, _ effects: inout [Effect]) {
    reader.sees(first: first, last: last)
    sight = (first, last, now)
    // A stream that was lost or went back has no end that is still to come.
    if first > last { goal = (0, now) } else if goal.map({ $0.last > last }) ?? true { goal = (last, now) }
    noteStep()
    if reader.stop == nil, first <= last, reader.next <= last { return readsOn = true }
    if phase == .opens { open(at: now, &effects) }
  }

  private mutating func read(_ messages: [Message], at now: Int64, _ effects: inout [Effect]) {
    var steps: [LogStep] = []
    reading: for message in messages {
      switch reader.take(message.bytes, at: message.sequence) {
      case .nothing, .stops: break
      case .commit(let body, let position): steps.append(.commit(body, position))
      case .leads(let position): steps.append(.leads(position))
      case .begins(let base, let position): steps.append(.begins(base, position))
      case .strange: effects.append(.strange)
      case .again: break reading
      }
    }
    // The end is looked at again when all of this was read.
    if let sight, reader.stop == nil, !messages.isEmpty, reader.next <= sight.last { readsOn = true }
    nextLook = now
    guard let last = steps.last else { return }
    applying = last.position
    effects.append(.apply(steps))
  }

  /// Notes whether the file has all that the stream had at a look.
  private mutating func noteStep() {
    guard let (last, at) = goal, applying == nil, reader.next > last else { return }
    (inStepAt, goal) = (at, nil)
  }

  private mutating func applied(_ position: LogPosition, at now: Int64, _ effects: inout [Effect]) {
    guard applying == position else { return }
    (applying, nextLook) = (nil, now)
    noteStep()
    if phase == .opens, last == position {
      (phase, birth) = (.leads, nil)
      effects.append(.isOpen)
    }
  }

  // MARK: Leading

  /// What has the stream may have started anew, and may lack what it had. Others that live now may have that, and were asked
  /// before: whoever leads next asks them again.
  private mutating func endOpening(_ effects: inout [Effect]) {
    end("the connection to NATS was lost while this node began to lead", &effects)
  }

  private mutating func end(_ why: String, _ effects: inout [Effect]) {
    phase = .over
    effects.append(.ends(why))
  }

  /// All that the stream has is in the file: the leader says that it leads.
  private mutating func open(at now: Int64, _ effects: inout [Effect]) {
    guard let sight, let birth else { return }
    if let why = reader.whyNot(first: sight.first, last: sight.last) {
      return end(why.rawValue, &effects)
    }
    let position = reader.position
    // The stream was lost, or went back to where this node was: what was accepted meanwhile is with the other one alone.
    if let heard, position.map({ heard.isFarther(than: $0) }) ?? true {
      return end("another node has more of the log than the stream", &effects)
    }
    // Whoever took long to come here may have been overtaken.
    guard position.map({ $0.epoch < epoch }) ?? true else {
      return end("another node has written to the log", &effects)
    }
    let record: LogRecord
    if let position, !position.isToBegin {
      let place = LogPosition(name: position.name, epoch: epoch, number: 0, sequence: 0)
      record = LogRecord(.leads, at: place, follows: position)
    } else {
      let place = LogPosition(name: birth.name, epoch: epoch, number: 0, sequence: 0)
      record = LogRecord(
        position == nil ? .beginsEmpty : .begins, at: place, follows: .toBegin(after: 0), body: birth.base)
    }
    writer = LogWriter(epoch: epoch, end: sight.last, storeMs: storeMs, lostMs: lostMs)
    underWay = record
    carry(writer.write([record], opens: true, at: now), at: now, &effects)
  }

  /// Whoever is to lead reads the stream to its end, from what it has carried out last.
  private mutating func lookAnew(at now: Int64) {
    (sight, question, nextLook, underWay, readsOn) = (nil, nil, now, nil, false)
    reader.lookBack()
  }

  private mutating func write(_ body: [UInt8], at now: Int64, _ effects: inout [Effect]) {
    guard phase == .leads, let last else { return }
    pending = body
    let place = LogPosition(name: last.name, epoch: epoch, number: last.number + 1, sequence: 0)
    let record = LogRecord(.commit, at: place, follows: last, body: body)
    underWay = record
    carry(writer.write(record.parts(of: mostBytes), at: now), at: now, &effects)
  }

  /// The stream was lost. Spares that have all that this leader has go on with the new one.
  private mutating func beginAgain(_ name: LogName, _ base: [UInt8], at now: Int64, _ effects: inout [Effect]) {
    guard phase == .leads, waitsForBase, let last else { return }
    waitsForBase = false
    let place = LogPosition(name: name, epoch: epoch, number: last.number + 1, sequence: 0)
    let record = LogRecord(.begins, at: place, follows: last, body: base)
    underWay = record
    carry(writer.write([record], at: now), at: now, &effects)
  }

  private mutating func tell(_ event: LogWriter.Event, at now: Int64, _ effects: inout [Effect]) {
    carry(writer.take(event, at: now), at: now, &effects)
  }

  private mutating func carry(_ wanted: [LogWriter.Effect], at now: Int64, _ effects: inout [Effect]) {
    for effect in wanted {
      switch effect {
      case .publish, .look: effects.append(.writer(effect))
      case .written(let sequence): written(sequence, at: now, &effects)
      case .isLate: if phase == .leads { effects.append(.isLate) }
      case .readOn: lookAnew(at: now)
      case .fenced: end("another node has written to the log", &effects)
      case .isLost(let end):
        // A leader that has not begun has nothing of its own to begin a log with: it looks again.
        guard phase == .leads else {
          lookAnew(at: now)
          break
        }
        writer.start(at: end)
        waitsForBase = true
        effects.append(.needsBase)
      }
    }
  }

  private mutating func written(_ sequence: UInt64, at now: Int64, _ effects: inout [Effect]) {
    guard let record = underWay else { return }
    var place = record.place
    place.sequence = sequence
    (last, underWay) = (place, nil)
    switch record.kind {
    case .commit:
      pending = nil
      effects.append(.written(.commit(record.body, place)))
    case .leads:
      applying = place
      effects.append(.apply([.leads(place)]))
    case .begins, .beginsEmpty:
      guard phase == .leads else {
        applying = place
        return effects.append(.apply([.begins(record.body, place)]))
      }
      effects.append(.apply([.begins(record.body, place)]))
      if let body = pending { write(body, at: now, &effects) }
    }
  }
}
