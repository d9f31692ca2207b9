/// First in, first out, in chunks: no call moves more than one chunk's table.
package struct Line<Element> {
  private static var chunkCount: Int { 256 }
  private var chunks: ContiguousArray<ContiguousArray<Element?>> = []
  /// The first chunk that is in use, and the place in it. Used chunks are let go in groups.
  private var firstChunk = 0
  private var firstPlace = 0
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ element: consuming Element) {
    if chunks.count == firstChunk || chunks[chunks.count - 1].count == Self.chunkCount {
      var chunk: ContiguousArray<Element?> = []
      chunk.reserveCapacity(Self.chunkCount)
      chunks.append(chunk)
    }
    chunks[chunks.count - 1].append(element)
    count += 1
  }

  package mutating func removeFirst() -> Element? {
    guard count > 0, let element = chunks[firstChunk][firstPlace].take() else { return nil }
    firstPlace += 1
    count -= 1
    if count == 0 {
      // The last chunk is used again.
      chunks.removeFirst(firstChunk)
      chunks[0].removeAll(keepingCapacity: true)
      (firstChunk, firstPlace) = (0, 0)
    } else if firstPlace == Self.chunkCount {
      chunks[firstChunk] = []
      firstChunk += 1
      firstPlace = 0
      if firstChunk >= 64, firstChunk * 2 >= chunks.count {
        chunks.removeFirst(firstChunk)
        firstChunk = 0
      }
    }
    return element
  }

  /// The element in that place from the front.
  subscript(index: Int) -> Element? {
    get {
      guard index < count else { return nil }
      let at = firstPlace + index
      return chunks[firstChunk + at / Self.chunkCount][at % Self.chunkCount]
    }
    set {
      guard index < count else { return }
      let at = firstPlace + index
      chunks[firstChunk + at / Self.chunkCount][at % Self.chunkCount] = newValue
    }
  }
}
