package import BatonLog

/// The stream of a log in memory: it may lose what it has, go back, and forget its oldest messages.
package struct MemoryStream {
  /// What it does wrong: planted.
  package enum Fault {
    /// It takes what expects another number.
    case writesBlindly
    /// What it refuses has the number that was expected.
    case errorIsNumber
    /// When it is made anew, its numbers begin again.
    case numbersAgain
  }

  package private(set) var messages: [NodeLog.Message] = []
  private var lastNumber: UInt64
  package var isAway = false
  private let fault: Fault?

  package init(fault: Fault? = nil) { (self.fault, lastNumber) = (fault, fault == .numbersAgain ? 0 : 1000) }

  package var first: UInt64 { messages.first?.sequence ?? lastNumber + 1 }
  package var last: UInt64 { lastNumber }

  /// What it says to this; nil: nothing. It gives so many messages at most.
  package mutating func answer(_ effect: NodeLog.Effect, most: Int) -> NodeLog.Event? {
    if isAway { return nil }
    switch effect {
    case .look(let question): return .seen(question: question, first: first, last: last)
    case .read(let question, let number): return .read(question: question, read(from: number, most: most))
    case .writer(.look(let question)):
      return .writer(.looked(question: question, .end(first: first, last: lastNumber, messages.last?.bytes)))
    case .writer(.publish(let bytes, let expected, let attempt)):
      return .writer(.answered(attempt: attempt, publish(bytes, expecting: expected)))
    default: return nil
    }
  }

  /// What is known when it has said nothing to this.
  package static func silence(to effect: NodeLog.Effect) -> NodeLog.Event? {
    switch effect {
    case .look(let question), .read(let question, _): .noAnswer(question: question)
    case .writer(.look(let question)): .writer(.looked(question: question, .noAnswer))
    case .writer(.publish(_, _, let attempt)): .writer(.answered(attempt: attempt, .none))
    default: nil
    }
  }

  private mutating func publish(_ bytes: [UInt8], expecting expected: UInt64) -> LogWriter.Answer {
    guard expected == lastNumber || fault == .writesBlindly else {
      return fault == .errorIsNumber ? .number(expected + 1) : .refused
    }
    lastNumber += 1
    messages.append(NodeLog.Message(sequence: lastNumber, bytes: bytes))
    return .number(fault == .writesBlindly ? expected + 1 : lastNumber)
  }

  private func read(from number: UInt64, most: Int) -> [NodeLog.Message] {
    let start = messages.firstIndex { $0.sequence >= number } ?? messages.endIndex
    return Array(messages[start...].prefix(most))
  }

  /// All is gone, and it is made anew.
  package mutating func lose(at now: Int64) {
    messages = []
    lastNumber = fault == .numbersAgain ? 0 : lastNumber + UInt64(1_000_000 + now)
  }

  /// The latest messages are gone.
  package mutating func goBack(by count: Int) {
    messages.removeLast(min(count, messages.count))
    lastNumber = messages.last?.sequence ?? lastNumber
  }

  /// It is longer than it may be.
  package mutating func forget(_ count: Int) { messages.removeFirst(min(count, max(0, messages.count - 1))) }
}
