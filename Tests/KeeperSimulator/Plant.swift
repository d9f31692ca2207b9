import LogKit

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
  // Between nodes, their files and the stream of their log.
  case toldWhenPublished = "told-when-published"
  case toldBeforeFile = "told-before-the-file-has-it"
  case fileBeforeLog = "file-before-the-log"
  case restoredEarly = "restored-before-the-log-is-read"
  case recordSkipped = "record-skipped"
  case writesBlindly = "no-expectation"
  case errorIsNumber = "number-of-an-error"
  case numbersForgotten = "numbers-of-events-forgotten"
  case valueLost = "value-lost"
  case notTakenBack = "given-up-not-taken-back"
  case copyAhead = "copy-ahead-of-its-position"
  case unheard = "others-unheard"
  case otherFile = "begun-with-the-other-file"
}

extension Plant {
  /// Whether only nodes have it.
  var isOfNodes: Bool {
    switch self {
    case .toldWhenPublished, .toldBeforeFile, .fileBeforeLog, .restoredEarly, .recordSkipped, .writesBlindly,
      .errorIsNumber, .numbersForgotten, .valueLost, .notTakenBack, .copyAhead, .unheard, .otherFile:
      true
    default: false
    }
  }

  /// What the stream does wrong.
  var ofStream: MemoryStream.Fault? {
    switch self {
    case .writesBlindly: .writesBlindly
    case .errorIsNumber: .errorIsNumber
    default: nil
    }
  }
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
    case .storedEarly, .toldWhenPublished, .toldBeforeFile:
      [
        "accepted is on disk", "an end is on disk before it is told", "what is offered is on disk",
        "the mark of a try is on disk", "dead letters are on disk",
      ]
    case .insertLost: ["accepted is on disk", "what is offered is on disk"]
    case .endLost, .deadLost: ["an end is on disk before it is told", "dead letters are on disk"]
    case .discardLost: ["what left has left the disk"]
    case .removeLost, .refusedEarly, .notTakenBack: ["what is refused is not kept", "what was refused is not kept"]
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
    case .numbersForgotten: ["numbers of events go on"]
    case .valueLost: ["values stay"]
    case .fileBeforeLog, .restoredEarly, .recordSkipped, .writesBlindly, .errorIsNumber, .copyAhead,
      .unheard, .otherFile:
      [
        "what was accepted is there until it ends", "an old leader says what the log has", "files say the same",
        "what has ended has gone", "tries are counted", "the mark of a try is on disk",
      ]
    }
  }
}
