import BatonCore

/// Faults that can be planted between the core and the network; each breaks one invariant, and the ledger must
/// find it by that invariant's name.
enum Fault: String, CaseIterable {
  case resultSwallowed = "result-swallowed"
  case resultTwice = "result-twice"
  case lateVerdictUntold = "late-verdict-untold"
  case removeUnheard = "remove-unheard"
  case offersSwapped = "offers-swapped"
  case closeUntold = "close-untold"
  case wrongID = "wrong-id"
  case eventDropped = "event-dropped"
  case eventTwice = "event-twice"
  case viaIgnored = "via-ignored"
  case deliveredMiscounted = "delivered-miscounted"
  case traceFalsified = "trace-falsified"
  case ownEventDropped = "own-event-dropped"
  case ownEventFalsified = "own-event-falsified"
  case explainFalsified = "explain-falsified"
  case inspectFalsified = "inspect-falsified"
  case missedMiscounted = "missed-miscounted"
  case missedUntold = "missed-untold"
  case pauseUnheard = "pause-unheard"
  case byteChanged = "byte-changed"
  case lineCut = "line-cut"
  case wakeStale = "wake-stale"
  // In the churn.
  case churnCloseUntold = "churn-close-untold"
  case churnResultSwallowed = "churn-result-swallowed"

  /// The invariant that the fault breaks.
  var breaks: Invariant {
    switch self {
    case .resultSwallowed, .resultTwice: .endsOnce
    case .lateVerdictUntold: .settledOnce
    case .removeUnheard: .rightLink
    case .offersSwapped: .inOrder
    case .closeUntold, .churnCloseUntold: .nothingLeft
    case .wrongID, .churnResultSwallowed: .oneReply
    case .eventDropped, .eventTwice, .missedMiscounted, .missedUntold, .viaIgnored, .deliveredMiscounted:
      .eventsOnce
    case .pauseUnheard: .inBounds
    case .traceFalsified, .explainFalsified, .inspectFalsified, .ownEventDropped, .ownEventFalsified: .seenRight
    case .byteChanged: .bytesKept
    case .lineCut: .coherentDoor
    case .wakeStale: .onTime
    }
  }
}

extension Fault {
  /// Whether it is planted in the churn and not in worlds.
  var isOfChurn: Bool { rawValue.hasPrefix("churn") }
}

/// Plants one fault in a world, once, at one of the first chances.
struct Planter {
  let fault: Fault?
  /// The connection that is read from against the server's wish.
  private var unheard: Int?
  /// How many chances are let go by.
  private var patience: Int
  private(set) var hasPlanted = false
  /// Ids of pings that stand in for a `remove` that the core is not to hear of, with the answers to forge.
  private var forged: (connection: Int, pong: [UInt8], ok: [UInt8])?

  init(fault: Fault?, patience: Int) {
    self.fault = fault
    self.patience = patience
  }

  private mutating func isTime() -> Bool {
    if hasPlanted { return false }
    patience -= 1
    hasPlanted = patience < 0
    return hasPlanted
  }

  // MARK: Towards the core

  /// `remove-unheard`: the core gets a ping in place of a remove.
  mutating func alter(_ line: inout SentLine, from connection: Int, _ ledger: Ledger) {
    if fault == .viaIgnored { return loseVia(&line, ledger) }
    guard fault == .removeUnheard, case .remove(let chain, let name) = line.intent, line.wantsReply,
      let id = line.id, ledger.link(named: name, in: chain) != nil, isTime()
    else { return }
    let text = String(decoding: id, as: UTF8.self)
    line.bytes = Array("{\"op\":\"ping\",\"id\":\(text)}\n".utf8)
    forged = (
      connection, Array("{\"op\":\"pong\",\"id\":\(text)}".utf8), Array("{\"op\":\"ok\",\"id\":\(text)}".utf8)
    )
  }

  /// `via-ignored`: the core gets a broadcast without its `via`, and publishes it at once.
  private mutating func loseVia(_ line: inout SentLine, _ ledger: Ledger) {
    guard case .send(let number) = line.intent, ledger.messages[number].isVia, isTime() else { return }
    let message = ledger.messages[number]
    var bytes = Array("{\"op\":\"broadcast\",\"topic\":\"".utf8) + message.topic.bytes + Array("\"".utf8)
    if let id = message.id { bytes += Array(",\"id\":".utf8) + id }
    if let payload = message.payload { bytes += Array(",\"payload\":".utf8) + payload }
    line.bytes = bytes + Array("}\n".utf8)
  }

  /// `close-untold`: the core is not told that a connection is gone.
  mutating func forgetsClose() -> Bool { fault == .closeUntold && isTime() }

  // MARK: From the core

  /// `wake-stale`: the next wake-up lies in the past.
  mutating func wakeAt(_ real: Instant?, _ now: Instant) -> Instant? {
    guard fault == .wakeStale, real != nil, hasPlanted || isTime() else { return real }
    return Instant(microseconds: now.microseconds - 1)
  }

  /// `pause-unheard`: a connection that is not to be read from is read from all the same.
  mutating func wish(_ real: Router.Wish, of connection: Int) -> Router.Wish {
    guard fault == .pauseUnheard, !real.reading, real.ending == .open else { return real }
    if unheard == nil, isTime() { unheard = connection }
    guard unheard == connection else { return real }
    var wish = real
    wish.reading = true
    return wish
  }

  mutating func alter(_ lines: inout [(bytes: [UInt8], end: Int)], to connection: Int) {
    guard let fault else { return }
    if let forged, forged.connection == connection {
      for index in lines.indices where lines[index].bytes == forged.pong { lines[index].bytes = forged.ok }
    }
    guard !hasPlanted else { return }
    for index in lines.indices {
      let line = lines[index]
      guard let read = try? LineReader.read(line.bytes) else { return }
      switch fault {
      case .resultSwallowed where read.op == .result, .eventDropped where read.op == .event,
        .ownEventDropped where read.string(.from) == "$baton", .missedUntold where read.op == .missed,
        .lateVerdictUntold where read.string(.code) == "late_verdict":
        guard isTime() else { continue }
        lines.remove(at: index)
        return
      case .resultTwice where read.op == .result, .eventTwice where read.op == .event:
        if isTime() { return lines.insert(line, at: index) }
      case .lineCut:
        guard isTime() else { continue }
        lines[index].bytes.removeLast()
        return
      case .wrongID where read.op.isDirect && read[.id] != nil:
        if let id = read[.id], isTime() { return changeDigit(&lines[index].bytes, in: id) }
      case .deliveredMiscounted where read[.delivered] != nil:
        if let range = read[.delivered], isTime() { return changeDigit(&lines[index].bytes, in: range) }
      case .traceFalsified where read[.trace].map { $0.count > 60 } ?? false:
        if let range = read[.trace], isTime() { return changeDigit(&lines[index].bytes, in: range) }
      case .ownEventFalsified where read.string(.from) == "$baton":
        if let range = read[.payload], isTime() { return changeDigit(&lines[index].bytes, in: range) }
      case .explainFalsified where read.op == .explained:
        if let range = read[.links], replaceFirst("offer", with: "wait ", in: range, &lines[index].bytes) { return }
      case .inspectFalsified where read.op == .chains:
        if replaceFirst("open\":0", with: "open\":9", in: line.bytes.indices, &lines[index].bytes) { return }
      case .missedMiscounted where read.op == .missed:
        if let range = read[.count], isTime() { return changeDigit(&lines[index].bytes, in: range) }
      case .byteChanged where read.op == .offer || read.op == .event:
        if let range = read.digitAfterMark, isTime() { return changeDigit(&lines[index].bytes, in: range) }
      case .offersSwapped where read.op == .offer && index + 1 < lines.count:
        guard let next = try? LineReader.read(lines[index + 1].bytes), next.op == .offer,
          next.string(.handler) == read.string(.handler), next.string(.chain) == read.string(.chain), isTime()
        else { continue }
        return swapOffers(&lines, at: index, read, next)
      default: continue
      }
    }
  }

  /// Each of two offers gets the other's place, under the id that belongs there.
  private func swapOffers(
    _ lines: inout [(bytes: [UInt8], end: Int)], at index: Int, _ first: ServerLine, _ second: ServerLine
  ) {
    guard let one = first[.id], let other = second[.id] else { return }
    var early = second.bytes
    early.replaceSubrange(other, with: first.bytes[one])
    var late = first.bytes
    late.replaceSubrange(one, with: second.bytes[other])
    lines[index].bytes = early
    lines[index + 1].bytes = late
  }

  /// Puts one word for another of the same length, where it is time; false where it is not.
  private mutating func replaceFirst(
    _ old: String, with new: String, in range: Range<Int>, _ bytes: inout [UInt8]
  ) -> Bool {
    let (from, to) = (Array(old.utf8), Array(new.utf8))
    let starts = range.dropLast(min(range.count, from.count - 1))
    guard let start = starts.first(where: { bytes[$0...].starts(with: from) }), isTime() else { return false }
    bytes.replaceSubrange(start..<(start + from.count), with: to)
    return true
  }

  private func changeDigit(_ bytes: inout [UInt8], in range: Range<Int>) {
    guard let place = range.last(where: { (48...57).contains(bytes[$0]) }) else { return }
    bytes[place] = bytes[place] == 57 ? 56 : bytes[place] + 1
  }
}

extension ServerLine {
  /// A digit of the payload that does not belong to its mark.
  fileprivate var digitAfterMark: Range<Int>? {
    guard let range = self[.payload] else { return nil }
    var runs = 0
    var last: Int?
    for place in range where (48...57).contains(bytes[place]) {
      if place == range.lowerBound || !(48...57).contains(bytes[place - 1]) { runs += 1 }
      if runs > 1 { last = place }
    }
    return last.map { $0..<($0 + 1) }
  }
}
