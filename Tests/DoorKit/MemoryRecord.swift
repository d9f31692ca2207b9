internal import BatonCore
package import BatonLasting

/// A record in memory: it has what was written, and does with the rest what a test says.
package final class MemoryRecord {
  /// Nothing is answered.
  package var holds = false
  /// Why nothing can be written; nil while it can.
  package var failure: String?
  /// What is written, in order.
  package private(set) var items: [RecordItem] = []
  /// The ends among them.
  package private(set) var ends: [RecordedEnd] = []
  private var waiting: [RecordItem] = []
  /// What it does wrong, for those who must find it.
  package var meddle: ((RecordItem) -> [RecordItem])?
  /// It says that all is written as soon as it has it.
  package var answersEarly = false

  package init() {}

  /// Its server has ended without a word: what it had still to write is lost.
  func forget() { waiting = [] }

  /// One turn. Returns whether work is left.
  func turn(_ router: inout Router, at now: Instant) -> Bool {
    let given = router.fetchRecordItems(at: now)
    waiting += given
    router.recordFails(failure, at: now)
    if answersEarly { router.recordHasWritten(given.count(where: \.isEnd), at: now) }
    guard !holds, failure == nil, !waiting.isEmpty else { return answersEarly && !given.isEmpty }
    let written = waiting
    waiting = []
    for item in written { keep(item) }
    if !answersEarly { router.recordHasWritten(written.count(where: \.isEnd), at: now) }
    return true
  }

  private func keep(_ item: RecordItem) {
    for item in meddle?(item) ?? [item] {
      items.append(item)
      if case .end(let end) = item { ends.append(end) }
    }
  }
}

extension RecordItem {
  fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}

extension RecordedEnd {
  /// A part as text.
  package func text(_ part: Part) -> String { String(decoding: self.part(part), as: UTF8.self) }
}
