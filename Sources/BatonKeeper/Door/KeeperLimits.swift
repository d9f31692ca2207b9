/// Settings of the keeper.
package struct KeeperLimits: Sendable {
  /// `max_stored_messages`, without dead letters.
  package var storedMessages = 1_000_000
  /// `max_stored_bytes`, with dead letters and results.
  package var storedBytes = 4 << 30
  /// `max_dead_letters`, of a chain.
  package var deadLetters = 10_000
  /// `max_remembered`: names of `once` whose messages have ended.
  package var remembered = 1_000_000
  /// `min_free_bytes` of the disk.
  package var freeBytes = 64 << 20
  /// Tries that are open at once, of all chains.
  package var openTries = 1024
  /// Bytes of their contents, which are in memory until a try has ended; one of any size may always be open.
  package var openBytes = 256 << 20
  /// Bytes that the store gets at once.
  package var bytesAtOnce = 4 << 20
  /// Bytes that it has to read at once, and one message of any size.
  package var bytesReadAtOnce = 1 << 20
  /// What one turn does at most, of each kind of work.
  package var stepsPerTurn = 128
  /// Requests that wait for the result of one message.
  package var hearers = 8
  /// Milliseconds between two repetitions of tries that do not count, of one chain.
  package var repeatMilliseconds: UInt64 = 10

  package init() {}
}
