/// What `baton record verify` finds out.
package struct Verification: Sendable {
  /// Something that is wrong, and where.
  package struct Bad: Sendable {
    package let file: String
    /// The line of the file, from 1; 0 for the file itself.
    package let line: Int
    package let n: Int
    package let why: String
  }

  /// A start that followed no stop: the last lines before it may be missing.
  package struct Start: Sendable {
    package let n: Int
    package let at: String
    package let start: String
    /// The lines of the start before it that no head of that start covers.
    package let unheaded: Int
    package let isClean: Bool
  }

  package var from = 0
  package var to = 0
  package var files = 0
  package var ends = 0
  package var missed = 0
  package var starts: [Start] = []
  /// Contents that are there, that were taken away, and that a crash left without a line.
  package var contents = 0
  package var erased = 0
  package var torn = 0
  /// Bytes behind the last LF of their file, which are no line.
  package var unended = 0
  /// Lines that no head of their own start covers: of starts that ended without order, and at the end.
  package var unheaded = 0
  package var unheadedNow = 0
  /// Lines of stored messages whose end is told twice.
  package var repeatedFinals = 0
  /// Where the clock went back: how often, and the first ones.
  package var clockBack = 0
  package var clockBackAt: [Int] = []
  package var heads = 0
  /// Heads by the key that signed them, and those without a signature.
  package var keys: [String: Int] = [:]
  package var unsigned = 0
  /// Known heads that were found, and those that stand before the first line that is there.
  package var knownHeads = 0
  package var knownHeadsBefore = 0
  package var bad: [Bad] = []
  package var badInAll = 0

  static let mostBad = 100

  mutating func add(_ bad: Bad) {
    badInAll += 1
    if self.bad.count < Self.mostBad { self.bad.append(bad) }
  }
}

/// A head that is known from elsewhere.
package struct KnownHead: Sendable, Hashable {
  package let n: Int
  package let previous: String

  package init(n: Int, previous: String) { (self.n, self.previous) = (n, previous) }
}
