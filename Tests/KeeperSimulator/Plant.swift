/// Faults between the keeper and its world. Each must be found.
enum Plant: String, CaseIterable {
  case storedEarly = "stored-early"
  case acceptedSwallowed = "accepted-swallowed"
  case acceptedTwice = "accepted-twice"
  case resultSwallowed = "result-swallowed"
  case resultTwice = "result-twice"
  case insertLost = "insert-lost"
  case endLost = "end-lost"
  case markLost = "mark-lost"
  case triesLost = "tries-lost"
  case deadLost = "dead-lost"
  case discardLost = "discard-lost"
  case removeLost = "remove-lost"
  case refusedEarly = "refused-early"
  case beginTwice = "begin-twice"
  case againForgotten = "again-forgotten"
  case numberWrong = "number-wrong"
  case keyForgotten = "key-forgotten"
  case onceForgotten = "once-forgotten"
  case resultWhole = "result-whole"
  case sizeForgotten = "size-forgotten"
  case otherID = "other-id"
  case startReused = "start-reused"
  case windowDoubled = "window-doubled"
  case reloadUnheard = "reload-unheard"
  case cutOffCounts = "cut-off-counts"
  case letGoEarly = "let-go-early"
}

/// A promise that does not hold.
struct Broken: Error {
  var promise: String
  var detail: String
}
