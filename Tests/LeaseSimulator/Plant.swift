/// Faults between a node's lease, its clock and the register. Each must be found.
enum Plant: String, CaseIterable {
  // How long a spare waits.
  case noWait = "no-wait"
  case waitsTooLittle = "waits-0.9"
  case waitsNearly = "waits-1.05"
  case ownLeaseTime = "own-lease-time"
  case lossUnheard = "loss-unheard"
  // Until when a leader leads.
  case countsFromAnswer = "counts-from-the-answer"
  case takesLate = "takes-late"
  case clockSleeps = "clock-sleeps"
  case clockUnlooked = "clock-not-looked-at"
  case clocksApart = "clocks-further-apart"
  // Whose a lease is.
  case ownOfAnyAge = "own-lease-without-its-age"
  case ownOfAnotherBoot = "own-lease-of-another-boot"
  case ownThoughFreed = "own-lease-that-was-let-go"
  // What a write means.
  case errorIsNumber = "number-of-an-error"
  case writesBlindly = "no-expectation"
  case numbersAgain = "numbers-come-again"
  // What is in a record.
  case equalEpochs = "equal-epochs"
  case otherFileIgnored = "other-file-ignored"
  case freedEarly = "freed-early"
  // Whether somebody leads.
  case hangsAndRenews = "hangs-and-renews"
  case startsOver = "starts-over"

  /// The promises of which one has to be broken.
  var breaks: Set<Promise> {
    switch self {
    case .equalEpochs: [.epochs]
    case .otherFileIgnored: [.files]
    case .hangsAndRenews, .startsOver: [.somebody]
    default: [.one]
    }
  }
}

/// What is promised.
enum Promise: String {
  case one = "never two at once"
  case epochs = "no epoch twice"
  case files = "no other file"
  case somebody = "somebody leads in time"
}

struct Broken: Error {
  let promise: Promise
  let detail: String
}
