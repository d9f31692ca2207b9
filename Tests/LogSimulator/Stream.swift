import BatonLog

/// The stream of a log: it may lose what it has, go back, and forget its oldest messages.
struct Stream {
  private(set) var messages: [NodeLog.Message] = []
  private var lastNumber: UInt64
  var isAway = false
  let plant: Plant?

  init(plant: Plant?) { (self.plant, lastNumber) = (plant, plant == .numbersAgain ? 0 : 1000) }

  var first: UInt64 { messages.first?.sequence ?? lastNumber + 1 }
  var last: UInt64 { lastNumber }

  mutating func publish(_ bytes: [UInt8], expecting expected: UInt64) -> LogWriter.Answer {
    guard expected == lastNumber || plant == .writesBlindly else {
      return plant == .errorIsNumber ? .number(expected + 1) : .refused
    }
    lastNumber += 1
    messages.append(NodeLog.Message(sequence: lastNumber, bytes: bytes))
    return .number(plant == .writesBlindly ? expected + 1 : lastNumber)
  }

  func read(from number: UInt64, most: Int) -> [NodeLog.Message] {
    let start = messages.firstIndex { $0.sequence >= number } ?? messages.endIndex
    return Array(messages[start...].prefix(most))
  }

  var look: LogWriter.Look { .end(first: first, last: lastNumber, messages.last?.bytes) }

  /// All is gone, and it is made anew.
  mutating func lose(at now: Int64) {
    messages = []
    lastNumber = plant == .numbersAgain ? 0 : lastNumber + UInt64(1_000_000 + now)
  }

  /// The latest messages are gone.
  mutating func goBack(by count: Int) {
    messages.removeLast(min(count, messages.count))
    lastNumber = messages.last?.sequence ?? lastNumber
  }

  /// It is longer than it may be.
  mutating func forget(_ count: Int) { messages.removeFirst(min(count, max(0, messages.count - 1))) }
}
