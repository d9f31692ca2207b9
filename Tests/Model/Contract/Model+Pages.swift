/// Where pages of `explain` and `inspect` begin (contract, section 8, "Pages").
extension Model {
  /// The `after` of a page, read.
  struct PageStart {
    /// `chain/link/rank/number`: the last link that was told in a chain.
    struct Place {
      let chain: String
      let link: String
      let rank: Double
      let number: Int
    }

    var places: [Place] = []
    /// Other chains that were entered, and whether that was through declared mounts only.
    var others: [(chain: String, isByFile: Bool)] = []
    /// Whether a link that was told before would end the walk.
    var isStopped = false

    init(_ after: String?) {
      for word in (after ?? "").split(separator: " ") {
        guard word != "/stopped" else {
          isStopped = true
          continue
        }
        let parts = word.split(separator: "/").map(String.init)
        if parts.count == 1 {
          others.append((parts[0], false))
        } else if parts.count == 2 {
          others.append((parts[0], parts[1] == "file"))
        } else {
          places.append(
            Place(chain: parts[0], link: parts[1], rank: Double(parts[2]) ?? 0, number: Int(parts[3]) ?? 0))
        }
      }
    }
  }

  /// The place of a link, as `after` spells it. Links have numbers in the order in which they came to
  /// their places.
  func place(of link: Int) -> String {
    let rank = links[link].rank
    let spelled = Int(exactly: rank).map(String.init) ?? rank.description
    return "\(links[link].chain)/\(links[link].name)/\(spelled)/\(links[link].arrival)"
  }

  /// The link at a place, if it is still there under its name.
  func find(_ place: PageStart.Place) -> Int? {
    find(place.link, in: place.chain).flatMap { links[$0].arrival == place.number ? $0 : nil }
  }

  /// The links of a chain behind a place; all if there is none. If the link there is gone, its rank and number say where
  /// it was.
  func follow(_ place: PageStart.Place?, in chain: String) -> [Int] {
    let all = chains[chain]?.links ?? []
    guard let place else { return all }
    if let link = find(place), let index = all.firstIndex(of: link) { return Array(all[(index + 1)...]) }
    return all.filter { (links[$0].rank, links[$0].arrival) > (place.rank, place.number) }
  }
}
