internal import BatonLasting

/// A change on its way to the disk.
struct Unstored {
  var change: StoreChange
  var mark: Mark

  /// What is known of it without looking at it.
  struct Mark: BitwiseCopyable {
    /// The message that it is about.
    var row: UInt64
    /// Of what it brings to the disk.
    var bytes: Int
    /// Of the result that is in it.
    var resultBytes: Int
    /// 0 until it is with the store.
    var number: UInt64 = 0
    /// Whether a commit with it has failed.
    var hasFailed = false
  }

  init(_ change: StoreChange) {
    let result = change.resultByteCounts
    mark = Mark(row: change.row, bytes: change.contentByteCount + result.written, resultBytes: result.told)
    self.change = change
  }

  /// The same for a new message, without looking into the change: a row that takes so many bytes.
  init(inserting change: StoreChange, row: UInt64, bytes: Int) {
    mark = Mark(row: row, bytes: bytes, resultBytes: 0)
    self.change = change
  }
}

/// Changes on their way to the disk, in order. What is known of them is read without touching them: the store, on its own
/// thread, holds them, too, and each copy would count there.
struct UnstoredLine {
  private var changes = Line<StoreChange>()
  private var marks = Line<Unstored.Mark>()

  var count: Int { marks.count }
  var isEmpty: Bool { marks.isEmpty }

  mutating func append(_ one: consuming Unstored) {
    marks.append(one.mark)
    changes.append(one.change)
  }

  /// The mark of the change in that place from the front.
  subscript(place: Int) -> Unstored.Mark? {
    get { marks[place] }
    set { marks[place] = newValue }
  }

  func change(_ place: Int) -> StoreChange? { changes[place] }

  mutating func replace(_ place: Int, by change: StoreChange) { changes[place] = change }

  /// The first change leaves the line.
  mutating func removeFirst() -> StoreChange? {
    _ = marks.removeFirst()
    return changes.removeFirst()
  }
}

extension StoreChange {
  /// The message that it is about: a new one, if there is one.
  var row: UInt64 {
    switch self {
    case .insert(let message, _, _), .resend(let message, _, _, _): message.row
    case .state(let row, _, _), .end(let row, _, _), .dead(let row, _, _): row
    case .discard(let row, _), .remove(let row), .forget(_, let row): row
    case .stays, .log: 0
    }
  }

  /// Bytes of the content that is in it.
  var contentByteCount: Int {
    switch self {
    case .insert(let message, _, _), .resend(let message, _, _, _): message.byteCount
    case .state, .end, .dead, .discard, .remove, .forget, .stays, .log: 0
    }
  }

  /// Bytes of the result that is in it: as it is told, and as it is written.
  var resultByteCounts: (told: Int, written: Int) {
    switch self {
    case .state(_, _, let result): (result?.count ?? 0, result?.count ?? 0)
    case .end(_, let result, let until): (result.told.count, until == nil ? 0 : result.written.count)
    case .dead(_, _, let result): (result?.told.count ?? 0, result?.written.count ?? 0)
    case .insert, .resend, .discard, .remove, .forget, .stays, .log: (0, 0)
    }
  }
}
