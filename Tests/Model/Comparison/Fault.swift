import BatonModel

/// Faults that can be planted between the core and the comparison. The comparison must find each.
enum Fault: String, CaseIterable {
  case lateVerdictUntold = "late-verdict-untold"
  case removeUnheard = "remove-unheard"
  case offersSwapped = "offers-swapped"
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

  /// A text in the lines in which the fault is planted; nil if it is not planted in a line of the core.
  fileprivate var mark: String? {
    switch self {
    case .lateVerdictUntold: #""code":"late_verdict""#
    case .offersSwapped: #"{"op":"offer""#
    case .eventDropped, .eventTwice: #"{"op":"event""#
    case .deliveredMiscounted: #""delivered":"#
    case .traceFalsified: #""trace":[{"#
    case .ownEventDropped, .ownEventFalsified: #""topic":"$baton."#
    case .explainFalsified: #""would":"offer""#
    case .inspectFalsified: #","open":0"#
    case .missedMiscounted, .missedUntold: #"{"op":"missed""#
    case .byteChanged: #""payload":{ "m":["#
    case .removeUnheard, .viaIgnored, .pauseUnheard: nil
    }
  }
}

/// Plants one fault in a world, once, at one of the first chances.
struct Planter {
  let fault: Fault?
  /// How many chances pass before the fault is planted.
  private var patience: Int
  private(set) var hasPlanted = false
  /// The core's answer to a line that it got in place of another one.
  private var forged: String?

  init(fault: Fault?, patience: Int) { (self.fault, self.patience) = (fault, patience) }

  private mutating func isTime() -> Bool {
    if hasPlanted { return false }
    patience -= 1
    hasPlanted = patience < 0
    return hasPlanted
  }

  // MARK: Towards the core

  /// `remove-unheard`: the core gets a ping in place of a remove. `via-ignored`: the core gets a broadcast without its
  /// `via`.
  mutating func alter(_ lines: inout [String], _ asked: [Asked]) {
    for (index, asked) in asked.enumerated() {
      switch asked.request {
      case .remove where fault == .removeUnheard && asked.wantsReply && asked.id != nil:
        guard isTime() else { continue }
        lines[index] = #"{"op":"ping","id":\#(asked.id ?? "")}"#
        forged = #"{"op":"pong","id":\#(asked.id ?? "")}"#
      case .broadcast(let message) where fault == .viaIgnored && message.via != nil:
        guard isTime() else { continue }
        let id = asked.id.map { #","id":\#($0)"# } ?? ""
        lines[index] = #"{"op":"broadcast","topic":"\#(message.topic)"\#(id),"reply":\#(asked.wantsReply)}"#
      default: break
      }
    }
  }

  /// Whether this is the core's answer to the line that replaced the right one.
  func isForged(_ line: String) -> Bool { line == forged }

  // MARK: From the core

  /// `pause-unheard`: the network reads from a connection although the core does not want it.
  mutating func hears(_ reading: Bool) -> Bool { reading || fault == .pauseUnheard && isTime() }

  mutating func alter(_ lines: inout [String]) {
    guard let fault, let mark = fault.mark, !hasPlanted else { return }
    for index in lines.indices where lines[index].contains(mark) {
      if fault == .offersSwapped, !isPair(lines[index...].prefix(2), mark) { continue }
      guard isTime() else { continue }
      switch fault {
      case .lateVerdictUntold, .eventDropped, .ownEventDropped, .missedUntold: lines.remove(at: index)
      case .eventTwice: lines.insert(lines[index], at: index)
      case .explainFalsified: lines[index].replace(mark, with: #""would":"wait ""#, maxReplacements: 1)
      case .offersSwapped: swap(&lines, at: index)
      default: changeDigit(&lines[index], behind: mark)
      }
      return
    }
  }

  private func isPair(_ lines: ArraySlice<String>, _ mark: String) -> Bool {
    lines.count == 2 && lines.allSatisfy { $0.contains(mark) }
  }

  /// Swaps two offers. Each keeps the id that belongs to its place.
  private func swap(_ lines: inout [String], at index: Int) {
    let ids = [index, index + 1].map { lines[$0].split(separator: ",")[..<2].joined(separator: ",") }
    let rests = [index, index + 1].map { lines[$0].dropFirst(ids[$0 - index].count) }
    lines[index] = String(ids[0] + rests[1])
    lines[index + 1] = String(ids[1] + rests[0])
  }

  private func changeDigit(_ line: inout String, behind mark: String) {
    guard let start = line.firstRange(of: mark)?.lowerBound, let place = line[start...].firstIndex(where: \.isNumber)
    else { return }
    line.replaceSubrange(place...place, with: line[place] == "9" ? "8" : "9")
  }
}
