/// The last ones of all elements that were added: at most `most` of them. An element costs the same, however many were
/// added before.
struct LastOnes<Element> {
  private let most: Int
  private var kept: [Element] = []
  /// The place of the next element, once `kept` is full.
  private var next = 0

  init(most: Int) { self.most = most }

  /// The elements, the latest first.
  var latestFirst: [Element] { kept[..<next].reversed() + kept[next...].reversed() }

  mutating func add(_ element: Element) {
    if kept.count < most { return kept.append(element) }
    kept[next] = element
    next = (next + 1) % most
  }
}
