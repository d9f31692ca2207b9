import Testing

@testable import BatonDurable

/// Dead letters that many ask for at once (settings.md).
@Suite struct LetterReadsTests {
  private func page(_ ticket: UInt64, bytes: Int) -> LetterReads.Page {
    LetterReads.Page(ticket: ticket, rows: [ticket], bytes: bytes, hasMore: false, isWhole: true)
  }

  /// Commits come between what is read: never more than a mebibyte and a page is asked for.
  @Test func areReadInOrderAndNotAllAtOnce() {
    var letters = LetterReads()
    for ticket in UInt64(0)..<1000 { letters.want(page(ticket, bytes: 600_000)) }
    var read: [UInt64] = []
    var asked: [UInt64] = []
    while read.count < 1000 {
      while let page = letters.next() { asked.append(page.ticket) }
      #expect(asked.count == min(2, 1000 - read.count))
      let first = asked.removeFirst()
      let answered = letters.answered(first)
      #expect(answered?.ticket == first)
      read.append(first)
    }
    #expect(read == Array(0..<1000))
    let isDue = letters.areDue
    let again = letters.answered(0)
    #expect(!isDue && again == nil)
  }

  @Test func onePageOfAnySizeIsRead() {
    var letters = LetterReads()
    letters.want(page(1, bytes: 5 << 20))
    letters.want(page(2, bytes: 1))
    let first = letters.next()
    let second = letters.next()
    #expect(first?.ticket == 1 && second == nil)
    _ = letters.answered(1)
    let later = letters.next()
    #expect(later?.ticket == 2)
  }
}
