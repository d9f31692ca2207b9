/// How many of the messages that ended last at a link failed there. It costs nothing as long as nothing fails.
///
/// It counts in blocks: a block ends with the first failure that is at least 500 messages after the block's begin. The
/// numbers are those since the begin of the block before, or of this one if that would be more than 1000 messages. If even
/// this block has more, its failures are at least 500 messages ago, and none is counted.
struct FailureWindow {
  private struct Begin {
    var ended = 0
    var failures = 0
  }

  private static let block = 500
  private static let most = 1000

  private var previous = Begin()
  private var present = Begin()

  /// A message is about to be counted as failed. `ended` have ended before, and `failures` of them failed.
  mutating func willFail(_ ended: Int, _ failures: Int) {
    guard ended - present.ended >= FailureWindow.block else { return }
    previous = present
    present = Begin(ended: ended, failures: failures)
  }

  /// The failures among the last messages, and how many messages these are.
  func last(_ ended: Int, _ failures: Int) -> (failures: Int, messages: Int) {
    for begin in [previous, present] where ended - begin.ended <= FailureWindow.most {
      return (failures - begin.failures, ended - begin.ended)
    }
    return (0, FailureWindow.block)
  }
}
