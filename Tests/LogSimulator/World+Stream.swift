import BatonLog
import WorldKit

/// The stream as nodes see it, and all that can happen to it, to them, and on the way.
extension World {
  func ask(_ number: Int, _ link: Int, _ effect: NodeLog.Effect) {
    guard !isLost, let event = stream.answer(effect, most: 1 + luck.below(8)), !isLost else { return }
    steps.add(.answer(number, link: link, meddled(event, of: number)), at: now + delay())
  }

  private func meddled(_ event: NodeLog.Event, of number: Int) -> NodeLog.Event {
    guard plant == .gapIgnored || plant == .beginningIgnored, case .read(let question, let messages) = event else {
      return event
    }
    return .read(question: question, messages.map { meddled($0, of: number) })
  }

  /// A record that says to follow whatever the reader has.
  private func meddled(_ message: NodeLog.Message, of number: Int) -> NodeLog.Message {
    guard var record = try? LogRecord(message.bytes), let position = nodes[number].file.position else { return message }
    switch record.kind {
    case .commit, .leads: if plant == .gapIgnored { record.follows = position }
    case .begins, .beginsEmpty: if plant == .beginningIgnored { record.follows = position }
    }
    return NodeLog.Message(sequence: message.sequence, bytes: record.bytes)
  }

  // MARK: Mishaps

  /// Whether the node has what the stream has lost. Where such a machine is lost, too, nobody knows what was there.
  private func isAhead(_ number: Int) -> Bool {
    guard let sequence = nodes[number].file.position?.sequence else { return false }
    return sequence < stream.first || sequence > stream.last
  }

  /// The stream is another one. A leader whose clock is wrong beside it would be too much for the fence.
  private func beginAnew() {
    // A stream that is another one than before was away, and all connections are new.
    if plant != .numbersAgain { streamsLife += 1 }
    for number in nodes.indices where nodes[number].isUp {
      nodes[number].link += 1
      post(.lost, to: number, after: 0)
      connect(number, after: 1 + luck.below(1000))
    }
    for other in nodes.indices where nodes[other].epoch != nil && other != newest { restart(other, after: 0) }
  }

  private var isNobodyDown: Bool { nodes.allSatisfy(\.isUp) }

  func mishap() {
    steps.add(.mishap, at: now + Int64(luck.below(8000)))
    guard !isCalm else { return }
    let number = luck.below(nodes.count)
    switch luck.below(12) {
    case 0: stream.isAway.toggle()
    case 1, 2: stream.isAway = false
    case 3 where luck.chance(15) && isNobodyDown:
      stream.lose(at: now)
      beginAnew()
      reached["losses", default: 0] += 1
    case 4 where luck.chance(15) && isNobodyDown:
      stream.goBack(by: 1 + luck.below(5))
      beginAnew()
      reached["steps back", default: 0] += 1
    case 5 where luck.chance(40): stream.forget(luck.below(20))
    case 6, 7:
      restart(number, after: luck.below(3000))
      reached["restarts", default: 0] += 1
    case 8: if !isAhead(number) { nodes[number].isUp = false }
    case 9: if !nodes[number].isUp { restart(number, after: luck.below(1000)) }
    case 10:
      guard nodes[number].isUp, nodes[number].isConnected else { break }
      nodes[number].isConnected = false
      nodes[number].link += 1
      post(.lost, to: number, after: 0)
    default:
      if nodes[number].isUp, !nodes[number].isConnected { connect(number, after: 0) }
    }
  }
}
