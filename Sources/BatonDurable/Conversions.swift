internal import BatonCore
internal import BatonKeeper
internal import BatonLasting

extension KeeperLimits {
  init(_ settings: Settings) {
    self.init()
    storedMessages = settings.maxStoredMessages
    storedBytes = settings.maxStoredBytes
    deadLetters = settings.maxDeadLetters
    freeBytes = settings.minFreeBytes
    remembered = settings.maxRemembered
    openBytes = settings.maxTotalBytes / 4
    if let pieces = settings.pieces.keeper { (stepsPerTurn, openTries, bytesReadAtOnce) = pieces }
  }
}

extension Loaded {
  /// Whether it can be what the router has given once: the file of a store may say anything.
  var isSound: Bool {
    guard case .content(let content, let result, _) = self else { return true }
    return content.isSound && result.map { Router.isSound(result: $0) } ?? true
  }
}
