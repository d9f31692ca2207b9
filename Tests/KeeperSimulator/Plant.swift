/// Faults between peers, router, keeper and disk. Each must be found.
enum Plant: String, CaseIterable {
  // What the router tells the keeper.
  case emptyGuardCounts = "empty-guard-counts"
  case tryEndLost = "try-end-lost"
  case offerForgotten = "offer-forgotten"
  case wakeLost = "wake-lost"
  case reloadUnheard = "reload-unheard"
  case drainUnheard = "drain-unheard"
  case cutOffUnheard = "cut-off-unheard"
  case ordinaryForgotten = "ordinary-forgotten"
  case cutOffCounts = "cut-off-counts"
  case letGoEarly = "let-go-early"
  case windowDoubled = "window-doubled"
  // What comes to the disk, and what the keeper is told of it.
  case storedEarly = "stored-early"
  case insertLost = "insert-lost"
  case endLost = "end-lost"
  case deadLost = "dead-lost"
  case discardLost = "discard-lost"
  case removeLost = "remove-lost"
  case markLost = "mark-lost"
  case triesLost = "tries-lost"
  case onceForgotten = "once-forgotten"
  case resultWhole = "result-whole"
  case forgotten = "lost-at-a-reload"
  // What a new server gets.
  case keyForgotten = "key-forgotten"
  case againForgotten = "again-forgotten"
  case sizeForgotten = "size-forgotten"
  case startReused = "start-reused"
  // What the file says.
  case guardLeftOut = "guard-left-out"
  // What peers hear.
  case acceptedSwallowed = "accepted-swallowed"
  case acceptedTwice = "accepted-twice"
  case otherID = "other-id"
  case resultTwice = "result-twice"
  case resultSwallowed = "result-swallowed"
  case wrongSender = "wrong-sender"
  case refusedEarly = "refused-early"
  case beginTwice = "begin-twice"
  case numberWrong = "number-wrong"
}

extension Plant {
  /// The promises of which it breaks one: whatever else is found is not it.
  var breaks: [String] {
    switch self {
    case .emptyGuardCounts: ["a try that passed an empty place does not count"]
    case .tryEndLost, .forgotten: ["what was accepted ends", "everybody hears of the end"]
    case .offerForgotten, .againForgotten: ["again is said"]
    case .wakeLost: ["what waits for a place is tried when it is served"]
    case .reloadUnheard: ["only down declared chains", "errors are as the contract says", "what was accepted ends"]
    case .drainUnheard: ["a server that drains begins no try"]
    case .cutOffUnheard, .cutOffCounts: ["a try that is cut off does not count"]
    case .ordinaryForgotten, .keyForgotten, .letGoEarly: ["one of a key at a time", "the order of a key"]
    case .windowDoubled: ["paced by windows"]
    case .storedEarly:
      [
        "accepted is on disk", "an end is on disk before it is told", "what is offered is on disk",
        "the mark of a try is on disk", "dead letters are on disk",
      ]
    case .insertLost: ["accepted is on disk", "what is offered is on disk"]
    case .endLost, .deadLost: ["an end is on disk before it is told", "dead letters are on disk"]
    case .discardLost: ["what left has left the disk"]
    case .removeLost, .refusedEarly: ["what is refused is not kept", "what was refused is not kept"]
    case .markLost, .triesLost, .numberWrong: ["tries are counted"]
    case .onceForgotten: ["once is once", "what is known is there", "names are counted"]
    case .resultWhole: ["results have room", "bytes are counted"]
    case .sizeForgotten: ["bytes are counted"]
    case .startReused: ["a name is never used twice"]
    case .guardLeftOut: ["no guard is passed"]
    case .acceptedSwallowed: ["a result follows accepted"]
    case .acceptedTwice: ["one accepted"]
    case .otherID: ["accepted names what is stored", "accepted is one's own"]
    case .beginTwice: ["one try at a time"]
    case .resultTwice: ["one answer"]
    case .resultSwallowed: ["everybody hears of the end"]
    case .wrongSender: ["answers go to who asked"]
    }
  }
}
