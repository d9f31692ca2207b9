extension Condition {
  /// Puts spots in the order in which they are looked for: each before those below it, and these together.
  mutating func order() {
    var below: [[Int]] = Array(repeating: [], count: spots.count)
    for number in spots.indices.dropFirst() { below[Int(spots[number].parent)].append(number) }
    for number in below.indices {
      below[number].sort { texts[spots[$0].folded.range].lexicographicallyPrecedes(texts[spots[$1].folded.range]) }
    }
    var (ordered, places): ([Spot], [Int]) = ([], Array(repeating: 0, count: spots.count))
    // What is still to come, the next last.
    var ahead = [0]
    while let number = ahead.popLast() {
      places[number] = ordered.count
      ordered.append(spots[number])
      ahead += below[number].reversed()
    }
    for number in spots.indices {
      let place = places[number]
      ordered[place].parent = UInt16(places[Int(spots[number].parent)])
      let first = UInt16(children.count)
      children += below[number].map { UInt16(places[$0]) }
      ordered[place].children = first..<UInt16(children.count)
      for child in below[number] { ordered[place].firstBytes.note(texts[spots[child].folded.range]) }
    }
    spots = ordered
    findEnds()
    for number in demands.indices { demands[number].spot = UInt16(places[Int(demands[number].spot)]) }
    for number in spots.indices {
      let first = UInt16(demandsAtSpots.count)
      demandsAtSpots += demands.indices.filter { Int(demands[$0].spot) == number }.map { UInt16($0) }
      spots[number].demands = first..<UInt16(demandsAtSpots.count)
    }
  }

  private mutating func findEnds() {
    for number in spots.indices.reversed() {
      spots[number].end = max(spots[number].end, UInt16(number + 1))
      let parent = Int(spots[number].parent)
      if number > 0 { spots[parent].end = max(spots[parent].end, spots[number].end) }
    }
  }
}
