import LogKit

/// Faults between a node's log, its file and the stream. Each must be found.
enum Plant: String, CaseIterable {
  // What the stream says.
  case writesBlindly = "no-expectation"
  case errorIsNumber = "number-of-an-error"
  case numbersAgain = "numbers-come-again"
  // What is in a record.
  case equalEpochs = "equal-epochs"
  case lowerEpoch = "lower-epoch"
  case otherContent = "other-content-under-its-number"
  case newNumber = "written-again-under-a-new-number"
  case gapIgnored = "gap-ignored"
  case beginningIgnored = "beginning-ignored"
  case partIsWhole = "part-without-its-end"
  // When it counts.
  case toldAtPublish = "told-when-published"
  case toldAtWritten = "told-before-the-file-has-it"
  case toldLate = "told-though-late"
  // What the file has.
  case positionFirst = "position-before-the-changes"
  case positionLater = "position-after-the-changes"

  /// The promises of which one has to be broken.
  var breaks: Set<Promise> {
    switch self {
    case .toldAtPublish, .toldAtWritten, .toldLate: [.kept]
    case .newNumber, .positionLater: [.once, .order]
    default: [.kept, .order, .once]
    }
  }

  /// What the stream does wrong.
  var ofStream: MemoryStream.Fault? {
    switch self {
    case .writesBlindly: .writesBlindly
    case .errorIsNumber: .errorIsNumber
    case .numbersAgain: .numbersAgain
    default: nil
    }
  }
}

/// What is promised.
enum Promise: String {
  case kept = "nothing accepted is lost"
  case once = "nothing is there twice"
  case order = "all files have one order"
  case somebody = "what is given is written in time"
}

struct Broken: Error {
  let promise: Promise
  let detail: String
}
