/// The limits and durations that the model knows of; the others are never felt in its worlds.
package struct Settings {
  package var timeoutMilliseconds = 30_000
  package var window = 256
  package var maxQueueMessages = 10_000
  /// Section 6: offers running that time out until a handler is left alone, the least time that counts, and for how
  /// long it is left alone.
  package var breakerOffers = 5
  package var breakerLeastMilliseconds = 1000
  package var breakerMilliseconds = 10_000
  package var maxErrors = 100
  package var errorsMilliseconds = 10_000
  package var lingerMilliseconds = 1000
  package var maxLine = 1 << 20
  package var version = ""
  /// Messages of one connection under way at once (section 10).
  package var maxOpenMessages = 4096
  /// From the drain until everything that is open ends (section 8).
  package var drainMilliseconds = 25_000
  /// Places that are there from the start, empty, required, and with `on_failure` `"stop"` (section 7, `--guard`).
  package var guardedPlaces: [(chain: String, handler: String)] = []

  package init() {}

  /// What payload and meta may take together (section 2).
  var maxCargo: Int { maxLine - 4096 }
}
