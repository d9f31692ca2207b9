/// How far the store has come with what stays (contract, section 15). It knows no connection and no message.
struct Storing: ~Copyable {
  /// Whether there is a store.
  var isOn = false
  /// The topics whose values are not on disk as they are in memory.
  var values: UnwrittenValues
  var hand = StoreHand()
  /// Whether a job carries answers out.
  var isListed = false
  /// The replies of the change whose answer takes effect now.
  var telling = HeldReplyList()
  var isKept = false
  /// Since when commits fail; nil if the latest one has not.
  var failingSince: Instant?
  var isFailing: Bool { failingSince != nil }
  /// Whether a commit has failed because the file is damaged.
  var isDamaged = false
  /// Whether the last commit failed because the file has gone, or is another one.
  var hasLostFile = false
  /// Whether its disk has less than `min_free_bytes`: nothing more is kept then, so that what was accepted has room to end.
  var lacksRoom = false
  /// When the disk is tried again; nil if it need not wait.
  var triesAt: Instant?
  var timer = TimerRef.none
  /// Whether the server ends: when all is written, the store is told.
  var isEnding = false
  var hasToldEnd = false
  /// Whether the end is on disk.
  var hasEnded = false

  init(seed: UInt64) { values = UnwrittenValues(seed: seed) }

  /// How long the disk is left alone after a commit has failed.
  static let restMilliseconds = 1000
}
