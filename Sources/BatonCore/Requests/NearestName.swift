/// The candidate that is nearest to `word`, within two typing errors; nil if there is none. A typing error is a letter
/// more, a letter less, another letter, or two letters swapped. Of equally near candidates it is the first.
package func nearestName(to word: String, among candidates: some Sequence<String>) -> String? {
  guard word.utf8.count <= 64 else { return nil }
  var best: (name: String, distance: Int)?
  for candidate in candidates {
    let distance = typingErrors(from: word, to: candidate)
    if distance <= 2, distance < candidate.utf8.count, distance < best?.distance ?? .max {
      best = (candidate, distance)
    }
  }
  return best?.name
}

/// The least number of typing errors that turn one word into the other. It is 3 if the lengths differ by more than 2.
func typingErrors(from left: String, to right: String) -> Int {
  let left = Array(left.utf8)
  let right = Array(right.utf8)
  if abs(left.count - right.count) > 2 { return 3 }
  var beforeLast = [Int](repeating: 0, count: right.count + 1)
  var last = Array(0...right.count)
  for row in left.indices {
    var current = [row + 1]
    for column in right.indices {
      let same = left[row] == right[column]
      var cost = min(last[column] + (same ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
