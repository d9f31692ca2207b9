/// The candidate that is nearest to `word`, within two typing errors; nil if there is none. A typing error is a letter
/// more, a letter less, another letter, or two letters swapped. Of equally near candidates it is the first. A name of which
/// only the unit `_ms` is missing is nearer than any other.
package func nearestName(to word: String, among candidates: some Sequence<String>) -> String? {
  var word = word
  return word.withUTF8 { bytes in
    var search = NearestName(to: UnsafeRawBufferPointer(bytes))
    var best: String?
    for var candidate in candidates where candidate.withUTF8({ search.isNearest(UnsafeRawBufferPointer($0)) }) {
      best = candidate
    }
    return best
  }
}

/// A search for the name that is nearest to a word. The names are shown to it one by one.
///
/// A peer can make the server search with each line. So a name costs a few hundred nanoseconds at most, and no memory.
struct NearestName {
  private let word: UnsafeRawBufferPointer
  /// The most typing errors that a name may have to be nearer than the ones before.
  private var most = 2

  /// The word must stay where it is during the search. There is nothing near a word of more than 64 bytes.
  init(to word: UnsafeRawBufferPointer) {
    self.word = word
    if word.count > 64 { most = -1 }
  }

  /// Whether the name is nearer than all names before it, and within two typing errors. A name of which nothing would
  /// be left is not near.
  mutating func isNearest(_ name: UnsafeRawBufferPointer) -> Bool {
    let allowed = min(most, name.count - 1)
    guard allowed >= 0 else { return false }
    if name.lacksUnit(word) {
      most = -1
      return true
    }
    let errors = typingErrors(from: word, to: name, atMost: allowed)
    guard errors <= allowed else { return false }
    most = errors - 1
    return true
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the word is this name without its unit.
  fileprivate func lacksUnit(_ word: UnsafeRawBufferPointer) -> Bool {
    !word.isEmpty && count == word.count + 3 && starts(with: word) && dropFirst(word.count).elementsEqual("_ms".utf8)
  }
}

/// The least number of typing errors that turn one word into the other, if it is at most `most`; otherwise a larger
/// number.
///
/// At the first letter that differs, every kind of error is tried, and the rest is compared with one error less. The
/// lengths forbid most of these ways: for `most` = 2 there are at most eleven, none deeper than two calls.
func typingErrors(from left: UnsafeRawBufferPointer, to right: UnsafeRawBufferPointer, atMost most: Int) -> Int {
  guard abs(left.count - right.count) <= most else { return most + 1 }
  let shorter = min(left.count, right.count)
  var at = 0
  while at < shorter, left[at] == right[at] { at += 1 }
  if at == shorter { return max(left.count, right.count) - shorter }
  guard most > 0 else { return 1 }
  let (restOfLeft, restOfRight) = (left.part(at + 1, left.count), right.part(at + 1, right.count))
  var best = typingErrors(from: restOfLeft, to: restOfRight, atMost: most - 1)
  best = min(best, typingErrors(from: restOfLeft, to: right.part(at, right.count), atMost: most - 1))
  best = min(best, typingErrors(from: left.part(at, left.count), to: restOfRight, atMost: most - 1))
  if at + 1 < shorter, left[at] == right[at + 1], left[at + 1] == right[at] {
    let (left, right) = (left.part(at + 2, left.count), right.part(at + 2, right.count))
    best = min(best, typingErrors(from: left, to: right, atMost: most - 1))
  }
  return best + 1
}
