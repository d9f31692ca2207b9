/// One mistake in a configuration, in words that say what is wrong and how to mend it. No token is ever in them.
public struct ConfigMistake: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it is.
  public let origin: Origin
  /// What is wrong, and how to mend it. A list of ways has a line for each.
  public let message: String

  /// A mistake at a place.
  public init(_ origin: Origin, _ message: String) {
    self.origin = origin
    self.message = message
  }

  /// `FILE:LINE:COLUMN: words`; for a whole file, a variable or an option its name instead.
  public var description: String { "\(origin): \(message)" }

  /// The name of the file; nil if it is not about a file.
  public var file: String? {
    switch origin {
    case .file(let path, _), .whole(let path): path
    case .byDefault, .environment, .flag: nil
    }
  }

  /// The place in the file.
  public var place: FilePlace? {
    if case .file(_, let place) = origin { place } else { nil }
  }
}

/// All mistakes that were found, those of the file in its order. There is at least one.
public struct ConfigMistakes: Error, Equatable, Sendable {
  /// Those that are told, a hundred at most.
  public let all: [ConfigMistake]
  /// How many more were found than are told.
  public let untold: Int

  /// One mistake.
  public init(_ origin: Origin, _ message: String) { self.init(all: [ConfigMistake(origin, message)], untold: 0) }

  /// Mistakes that were found elsewhere.
  public init(all: [ConfigMistake], untold: Int) {
    self.all = all
    self.untold = untold
  }
}

/// Mistakes while they are collected. It is bounded: a file may have as many as it has words.
package struct MistakeList {
  package private(set) var all: [ConfigMistake] = []
  private var untold = 0

  /// The mistakes that are told: nobody mends more at once.
  static let most = 100

  /// No mistakes yet.
  package init() {}

  package var isEmpty: Bool { all.isEmpty }
  /// How many there are, those that are not told as well.
  package var count: Int { all.count + untold }
  /// Whether further mistakes are only counted.
  package var isFull: Bool { all.count >= MistakeList.most }

  package mutating func add(_ mistake: ConfigMistake) {
    if all.count < MistakeList.most { all.append(mistake) } else { untold += 1 }
  }

  /// Throws them, if there are any.
  package func tell() throws(ConfigMistakes) {
    guard !all.isEmpty else { return }
    // Those without a place come first; a stable order for those at the same place.
    let sorted = all.enumerated().sorted { left, right in
      let start = FilePlace(line: 0, column: 0)
      let (one, other) = (left.element.place ?? start, right.element.place ?? start)
      return one == other ? left.offset < right.offset : one < other
    }
    throw ConfigMistakes(all: sorted.map(\.element), untold: untold)
  }
}
