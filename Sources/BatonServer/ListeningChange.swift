internal import UV

/// Other places to listen at, while the server runs. The new ones are open already, and nothing else has changed. It is
/// carried out, or taken back.
public struct ListeningChange {
  /// All places, in the order of the entries, with the number of each entry.
  let places: [(entry: Int, place: ListeningPlace)]
  /// Those of them that are new.
  let opened: [ListeningPlace]
  /// Those that stay and are treated otherwise, with what they were and will be.
  let changed: [(place: ListeningPlace, old: ListeningOptions, new: ListeningOptions)]
  /// Those that the server leaves.
  let gone: [ListeningPlace]
  /// Why the server goes on without a place that nobody has named.
  let missing: [ListenError]

  /// The first entry at whose place other machines will reach the server; nil if there is none.
  public var firstForOthers: Int? { places.first { $0.place.isForOthers }?.entry }

  /// The real place of an entry.
  public func endpoint(_ entry: Int) -> String {
    places.first { $0.entry == entry }.map { "\($0.place.endpoint)" } ?? ""
  }

  /// Nothing happens: what was opened is closed again, and the files of sockets go.
  public func takeBack() {
    for place in opened { place.close() }
  }
}

/// Why the places cannot be changed.
public struct ListeningFault: Error {
  /// The number of the entry, from 0.
  public let entry: Int
  /// What is wrong, and what to do.
  public let message: String

  /// A fault of an entry.
  public init(entry: Int, message: String) {
    self.entry = entry
    self.message = message
  }
}
