/// Finds the answer of a condition to a message.
///
/// It goes from spot to spot, from the message on. At each it answers all demands of the condition, and where it stands in a
/// list, for each element. So each list is read once for all who look at it. It keeps memory for the largest condition so
/// far, and nothing of a message but the latest answers.
package struct Evaluator: ~Copyable {
  /// The most elements of a list, and of lists below it, that one member of a condition looks at.
  static var mostLooks: Int { 256 }
  /// The bytes that are read in ten nanoseconds.
  private static var bytesInStep: Int { 16 }

  /// By spot.
  private var places: UnsafeMutablePointer<SeenPlace>
  private var room = 0
  /// By demand.
  private var found: UnsafeMutablePointer<Found>
  private var demandRoom = 0
  private var finder = MemberFinder()
  /// The spot of the outermost of the lists in which it stands.
  private var outermost: Int?
  /// Whether lists are not looked into.
  private var isListUnknown = false
  /// Whether the latest condition asked what a list with elements says.
  private(set) var hasMetList = false
  /// What the latest answer has cost, as `Cost` counts.
  package private(set) var steps = 0

  /// What is known of a demand.
  private struct Found {
    var answer = Answer.no
    /// In a list: the best answer of the elements so far.
    var best = Answer.no
    /// At the outermost list: how many elements it has looked at.
    var looks = 0
  }

  package init() {
    places = .allocate(capacity: 0)
    found = .allocate(capacity: 0)
  }

  deinit {
    places.deallocate()
    found.deallocate()
  }

  /// Whether a message fits: what its members say, and what the condition asks of them.
  ///
  /// - Parameter areListsUnknown: lists are not looked into, and what they say is unknown.
  package mutating func answer(
    _ condition: Condition, to message: SeenMessage, areListsUnknown: Bool = false
  ) -> Answer {
    (isListUnknown, hasMetList) = (areListsUnknown, false)
    steps = 0
    reserve(condition)
    for child in condition.children(of: condition.spots[0]) {
      let part = message.bytes(of: condition.spots[child].part)
      places[child] = SeenPlace(MemberValue(whole: part))
      steps += part.count / Evaluator.bytesInStep
      find(below: child, condition, part)
    }
    return settleAll(condition, message)
  }

  /// The same where the members that a chain's conditions name were found (`findAll`). `numbers` are those of the condition
  /// there. Those that are not kept are looked for again.
  package mutating func answer(
    _ condition: Condition, _ numbers: [UInt32], to message: SeenMessage, found kept: [SeenPlace],
    areListsUnknown: Bool = false
  ) -> Answer {
    if numbers.contains(where: { $0 != .max && $0 >= kept.count }) {
      return answer(condition, to: message, areListsUnknown: areListsUnknown)
    }
    (isListUnknown, hasMetList) = (areListsUnknown, false)
    steps = condition.spots.count / 8
    reserve(condition)
    for spot in 1..<condition.spots.count {
      let number = numbers[spot]
      let part = condition.spots[spot].part
      places[spot] =
        number == .max ? SeenPlace(MemberValue(whole: message.bytes(of: part))) : kept[Int(number)]
    }
    return settleAll(condition, message)
  }

  /// Where the members stand that the conditions of a chain name.
  package mutating func findAll(_ names: ChainNames, in message: SeenMessage) -> [SeenPlace] {
    var found = [SeenPlace](repeating: .nothing, count: names.kept)
    found.withUnsafeMutableBufferPointer { places in
      for (number, part) in [(ChainNames.payload, message.payload), (ChainNames.meta, message.meta)] {
        let value = MemberValue(whole: part)
        places[number] = SeenPlace(value)
        self.finder.find(names, below: number, in: value, of: part, places)
      }
    }
    steps = (message.payload.count + message.meta.count) / Evaluator.bytesInStep
    return found
  }

  private mutating func find(below spot: Int, _ condition: Condition, _ part: UnsafeRawBufferPointer) {
    for below in spot + 1..<Int(condition.spots[spot].end) { places[below] = .nothing }
    let all = UnsafeMutableBufferPointer(start: places, count: condition.spots.count)
    finder.find(condition, below: spot, in: places[spot].value, of: part, all)
  }

  private mutating func settleAll(_ condition: Condition, _ message: SeenMessage) -> Answer {
    for child in condition.children(of: condition.spots[0]) { settle(child, condition, message) }
    return answer(condition.whole)
  }

  /// The latest answer to a demand.
  func answer(to demand: Int) -> Answer { found[demand].answer }

  /// What stood at a spot when it was looked at last.
  func place(of spot: Int) -> SeenPlace { places[spot] }

  private mutating func reserve(_ condition: Condition) {
    if condition.spots.count > room {
      places.deallocate()
      room = condition.spots.count
      places = .allocate(capacity: room)
      places.initialize(repeating: .nothing, count: room)
    }
    if condition.demands.count > demandRoom {
      found.deallocate()
      demandRoom = condition.demands.count
      found = .allocate(capacity: demandRoom)
      found.initialize(repeating: Found(), count: demandRoom)
    }
  }

  private func answer(_ formula: Condition.Formula) -> Answer {
    switch formula {
    case .member(let demand): found[Int(demand)].answer
    case .all(let terms): terms.reduce(.fits) { min($0, answer($1)) }
    case .any(let terms): terms.reduce(.no) { max($0, answer($1)) }
    }
  }

  // MARK: One spot

  private mutating func settle(_ spot: Int, _ condition: Condition, _ message: SeenMessage) {
    let place = places[spot]
    let part = message.bytes(of: condition.spots[spot].part)
    if place.isDoubtful {
      for demand in condition.demands(at: spot) { found[demand].answer = .unknown }
    } else if place.kind == .array, !place.value.isEmptyNest(in: part) {
      hasMetList = true
      if isListUnknown {
        for demand in condition.demands(at: spot) { found[demand].answer = .unknown }
      } else {
        settleList(spot, condition, message)
      }
    } else {
      settleOne(spot, condition, message, isElement: false)
    }
  }

  /// What stands at the spot is no list, or an empty one. Of an element of a list, `exists` is not asked.
  private mutating func settleOne(
    _ spot: Int, _ condition: Condition, _ message: SeenMessage, isElement: Bool
  ) {
    let place = places[spot]
    let part = message.bytes(of: condition.spots[spot].part)
    var seen = SeenValue(place.value, in: part)
    let isUnclear = !condition.spots[spot].children.isEmpty && seen.mayBeJSON
    if !isUnclear { for child in condition.children(of: condition.spots[spot]) { settle(child, condition, message) } }
    for demand in condition.demands(at: spot) where !isFull(demand, condition) {
      switch condition.demands[demand].kind {
      case .object(let formula): found[demand].answer = isUnclear ? .unknown : answer(formula)
      case .alternatives(let range, _):
        steps += range.count
        var best = Answer.no
        condition.texts.withUnsafeBytes { texts in
          for alternative in condition.alternatives[range] {
            best = max(best, answer(alternative, &seen, texts, isElement: isElement))
          }
        }
        found[demand].answer = best
      }
    }
  }

  /// An alternative, and a value that is no list with elements.
  private func answer(
    _ alternative: Condition.Alternative, _ seen: inout SeenValue, _ texts: UnsafeRawBufferPointer, isElement: Bool
  ) -> Answer {
    let kind = seen.value.kind
    switch alternative {
    case .exists(let isWanted):
      if isElement { return .no }
      switch kind {
      case .absent: return Answer(!isWanted)
      case .null: return .unknown
      case .array, .object: return seen.value.isEmptyNest(in: seen.part) ? .unknown : Answer(isWanted)
      default: return Answer(isWanted)
      }
    case .anythingBut:
      switch kind {
      case .absent, .null, .array, .object: return .unknown
      default: return seen.fits(alternative, texts)
      }
    default:
      switch kind {
      case .absent, .array, .object: return .no
      case .null: if case .null = alternative { return .fits } else { return .unknown }
      default: return seen.fits(alternative, texts)
      }
    }
  }

  // MARK: Lists

  private mutating func settleList(_ spot: Int, _ condition: Condition, _ message: SeenMessage) {
    let list = places[spot]
    let part = message.bytes(of: condition.spots[spot].part)
    let isOutermost = outermost == nil
    if isOutermost { outermost = spot }
    for demand in condition.demands(at: spot) {
      found[demand].best = .no
      if isOutermost { found[demand].looks = 0 }
    }
    steps += list.value.count / Evaluator.bytesInStep
    var elements = ListElements(of: list.value, in: part)
    while let element = elements.next(), look(spot, condition) {
      if element.hasElements { continue }
      places[spot] = SeenPlace(element.value)
      find(below: spot, condition, part)
      settleOne(spot, condition, message, isElement: true)
      for demand in condition.demands(at: spot) { found[demand].best = max(found[demand].best, found[demand].answer) }
    }
    places[spot] = list
    for demand in condition.demands(at: spot) {
      let isUnknown = isOutermost && found[demand].looks > Evaluator.mostLooks
      found[demand].answer = max(isUnknown ? .unknown : found[demand].best, presence(of: demand, condition))
    }
    if isOutermost { outermost = nil }
  }

  /// What `exists` says of a list with elements.
  private func presence(of demand: Int, _ condition: Condition) -> Answer {
    guard case .alternatives(let range, _) = condition.demands[demand].kind else { return .no }
    let isAsked = condition.alternatives[range].contains { if case .exists(true) = $0 { true } else { false } }
    return Answer(isAsked)
  }

  /// Counts an element for all who look at it. Returns false if nobody needs to any more.
  private mutating func look(_ spot: Int, _ condition: Condition) -> Bool {
    var isNeeded = false
    for demand in condition.demands(at: spot) where condition.demands[demand].looks {
      let counted = outermostDemand(above: demand, condition)
      found[counted].looks += 1
      steps += 1
      if found[counted].looks <= Evaluator.mostLooks { isNeeded = true }
    }
    return isNeeded
  }

  /// Whether the answer is known to be unknown, as more was looked at than may be.
  private func isFull(_ demand: Int, _ condition: Condition) -> Bool {
    outermost != nil && found[outermostDemand(above: demand, condition)].looks > Evaluator.mostLooks
  }

  /// The demand at the outermost list that `demand` is a part of.
  private func outermostDemand(above demand: Int, _ condition: Condition) -> Int {
    var above = demand
    while Int(condition.demands[above].spot) != outermost, let parent = condition.demands[above].parent {
      above = Int(parent)
    }
    return above
  }
}

extension Condition {
  @inline(__always)
  func children(of spot: Spot) -> some Sequence<Int> {
    children[Int(spot.children.lowerBound)..<Int(spot.children.upperBound)].lazy.map { Int($0) }
  }

  @inline(__always)
  func demands(at spot: Int) -> some Sequence<Int> {
    let range = spots[spot].demands
    return demandsAtSpots[Int(range.lowerBound)..<Int(range.upperBound)].lazy.map { Int($0) }
  }
}

extension Condition.Demand {
  /// Whether it looks at the value, not only at whether it is there.
  var looks: Bool { if case .alternatives(_, let looks) = kind { looks } else { true } }
}
