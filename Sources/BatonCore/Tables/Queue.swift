/// Elements that wait in a row: the first one in is the first one out. It is for lists from whose front elements are
/// taken while others come in at the end.
///
/// The elements are in pieces of 64, each with the address of the next one. So no call costs more, however many
/// elements wait, and memory goes back piece by piece. One piece is kept for later. A queue that never had an element
/// owns no memory.
struct Queue<Element: BitwiseCopyable>: ~Copyable {
  private static var pieceLength: Int { 64 }

  /// The piece with the first element, and that element's position in it.
  private var head: UnsafeMutablePointer<Element>?
  private var headAt = 0
  /// The piece with the last element, and the position behind that element.
  private var tail: UnsafeMutablePointer<Element>?
  private var tailAt = 0
  /// An empty piece that is used next.
  private var spare: UnsafeMutablePointer<Element>?
  private(set) var count = 0

  init() {}

  deinit {
    var piece = head
    while let this = piece {
      piece = this == tail ? nil : Queue.next(of: this).pointee
      UnsafeMutableRawPointer(this).deallocate()
    }
    if let spare { UnsafeMutableRawPointer(spare).deallocate() }
  }

  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// The element that has waited longest; nil if none waits.
  var first: Element? { count > 0 ? head?[headAt] : nil }

  /// Adds an element at the end.
  @inline(__always)
  mutating func append(_ element: Element) {
    if tail == nil || tailAt == Queue.pieceLength { addPiece() }
    if let tail { (tail + tailAt).initialize(to: element) }
    tailAt += 1
    count += 1
  }

  /// Removes the element that has waited longest, and returns it; nil if none waits.
  @inline(__always)
  mutating func popFirst() -> Element? {
    guard count > 0, let head else { return nil }
    let element = head[headAt]
    headAt += 1
    count -= 1
    if count == 0 {
      // All that is left is this one piece, which begins again.
      headAt = 0
      tailAt = 0
    } else if headAt == Queue.pieceLength {
      removePiece()
    }
    return element
  }

  // MARK: Pieces

  /// Where a piece has the address of the next one: behind its elements.
  private static func next(
    of piece: UnsafeMutablePointer<Element>
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<Element>> {
    (UnsafeMutableRawPointer(piece) + nextOffset).assumingMemoryBound(to: UnsafeMutablePointer<Element>.self)
  }

  private static var nextOffset: Int { (pieceLength * MemoryLayout<Element>.stride + 7) / 8 * 8 }

  @inline(never)
  private mutating func addPiece() {
    let piece: UnsafeMutablePointer<Element>
    if let spare {
      piece = spare
      self.spare = nil
    } else {
      piece = UnsafeMutableRawPointer.allocate(
        byteCount: Queue.nextOffset + 8, alignment: max(8, MemoryLayout<Element>.alignment)
      ).bindMemory(to: Element.self, capacity: Queue.pieceLength)
    }
    if let tail { Queue.next(of: tail).initialize(to: piece) } else { head = piece }
    tail = piece
    tailAt = 0
  }

  @inline(never)
  private mutating func removePiece() {
    guard let head else { return }
    self.head = Queue.next(of: head).pointee
    headAt = 0
    if spare == nil, Spare.isKept { spare = head } else { UnsafeMutableRawPointer(head).deallocate() }
  }
}
