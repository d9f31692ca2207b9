/// Every message that was ever taken in, under its number less one; and the places of those that are in a stage, under
/// numbers of their own. What is read or written at the number of a place is its message's, but for where it stands.
struct Walks: RandomAccessCollection, MutableCollection {
  /// One place of a message in a stage.
  private struct Place {
    let walk: Int
    var frames: [Walk.Frame]
    var stand: Walk.Stand?
    var isDoubtful: Bool
  }

  private var messages: [Walk] = []
  private var places: [Place] = []
  private static let firstPlace = 1 << 40

  var startIndex: Int { 0 }
  var endIndex: Int { messages.count }

  mutating func append(_ walk: Walk) { messages.append(walk) }

  /// A message begins to stand at one link of a stage, and is at others, too. Returns the number of the place.
  mutating func appendPlace(of walk: Int) -> Int {
    places.append(
      Place(walk: walk, frames: self[walk].frames, stand: nil, isDoubtful: self[walk].isDoubtful))
    return Self.firstPlace + places.count - 1
  }

  func isPlace(_ number: Int) -> Bool { number >= Self.firstPlace }

  /// The message of a place; a message's own number stays.
  func message(of number: Int) -> Int { isPlace(number) ? places[number - Self.firstPlace].walk : number }

  subscript(number: Int) -> Walk {
    get {
      guard isPlace(number) else { return messages[number] }
      let place = places[number - Self.firstPlace]
      var walk = messages[place.walk]
      (walk.frames, walk.stand, walk.isDoubtful) = (place.frames, place.stand, place.isDoubtful)
      (walk.isPlace, walk.stage) = (true, nil)
      return walk
    }
    set {
      guard isPlace(number) else { return messages[number] = newValue }
      let at = number - Self.firstPlace
      let own = messages[places[at].walk]
      (places[at].frames, places[at].stand) = (newValue.frames, newValue.stand)
      places[at].isDoubtful = newValue.isDoubtful
      messages[places[at].walk] = newValue
      messages[places[at].walk].frames = own.frames
      messages[places[at].walk].stand = own.stand
      messages[places[at].walk].isDoubtful = own.isDoubtful
      (messages[places[at].walk].isPlace, messages[places[at].walk].stage) = (false, own.stage)
    }
  }
}
