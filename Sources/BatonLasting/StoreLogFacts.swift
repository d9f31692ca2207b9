/// How the log of a store is. What is written stands there first, and is taken into the file once it is much.
package struct StoreLogFacts: Equatable, Sendable {
  /// Its bytes on the disk.
  package var bytes = 0
  /// Those of them that were due to be taken into the file, and could not be.
  package var heldBytes = 0
  /// Why not: what the disk says. Nil where another program reads what the file had before.
  package var error: String?
  /// A process that reads the store, as far as the system tells.
  package var reader: Int?

  package init() {}

  /// The bytes that a log keeps on the disk when nobody is in its way. One large commit may make it longer for a moment.
  package static var mostKept: Int { 64 << 20 }

  /// Whether it grows because it is held.
  package var isTooLong: Bool { bytes > Self.mostKept && heldBytes > 0 }
}
