/// What a record has to say.
package struct RecordNews: Sendable {
  /// So many more ends are written.
  package var written = 0
  /// Why nothing can be written; nil while it can.
  package var failure: String?
  /// Heads that were written, as objects of JSON.
  package var heads: [String] = []
  package var lines = 0
  package var bytes = 0
  /// The number of the last head.
  package var head = 0
  package var isNearlyFull = false

  package init() {}
}
