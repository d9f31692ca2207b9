#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The servers that a program names, and which of them the client goes to. It goes to the next one at once, until it has been
/// to all of them: that is a round, and it waits then. It goes nowhere else, whatever a server says.
struct Places: Sendable {
  /// How long an attempt waits, from its start, for a connection and for the server's `welcome` where there are others. A
  /// client that knows one place alone waits longer.
  private static let timeToConnect = Duration.seconds(2)
  private static let timeToHear = Duration.seconds(5)

  let all: [Endpoint]
  private var index: Int
  /// Those that it has not been to in this round.
  private var left: Set<Int>
  /// Those that a server has named in this round.
  private var named: Set<Int> = []
  /// What went wrong in this round, each with its place.
  private var faults: [String] = []

  /// What a program names unless it says something else.
  static var usual: String {
    let places = getenv("BATON_SERVER").map { String(cString: $0) } ?? ""
    return places.isEmpty ? "127.0.0.1:22866" : places
  }

  /// The texts of the places in a list. The path of a Unix socket is the rest of it, commas too.
  static func texts(in list: String) -> [String] {
    var texts: [String] = []
    var rest = Substring(list)
    while !rest.hasPrefix("unix:"), let comma = rest.firstIndex(of: ",") {
      texts.append(String(rest[..<comma]))
      rest = rest[rest.index(after: comma)...]
    }
    return texts + [String(rest)]
  }

  /// Reads places with commas between them. `chance` chooses the first one: a number from 0 to the one that it gets. Throws
  /// `notAPlace` where one of them is none.
  init(reading list: String, chance: (Int) -> Int = { .random(in: 0...$0) }) throws(BatonError) {
    var all: [Endpoint] = []
    for text in Places.texts(in: list) { all.append(try Endpoint(reading: text.isEmpty ? list : text)) }
    self.all = all
    index = all.count == 1 ? 0 : chance(all.count - 1)
    left = Set(all.indices)
  }

  /// Where the client is, or goes to now.
  var current: Endpoint { all[index] }

  /// The same in a round that has not begun.
  var anew: Places {
    var places = self
    places.beginRound()
    return places
  }

  /// How long an attempt may take until there is a connection, and until the server has said `welcome`.
  func times(atMost most: Duration) -> (connecting: Duration, hearing: Duration) {
    all.count == 1 ? (most, most) : (min(most, Places.timeToConnect), min(most, Places.timeToHear))
  }

  /// Goes on to the next one, because the current one is lost, or not to be had. `leader` is the place that it has named: that is
  /// the next one if it is in the list, and once in a round also if the client has been there. False where this ends the round:
  /// then the client waits before it goes there.
  mutating func goOn(_ why: String, leader: String?) -> Bool {
    if left.count == all.count { (faults, named) = ([], []) }
    faults.append("\(current.text): \(why)")
    left.remove(index)
    let leading = leader.flatMap(find)
    let isNew = leading.map { named.insert($0).inserted } ?? false
    let hasMore = isNew || !left.isEmpty
    if !hasMore { left = Set(all.indices) }
    if let leading, isNew || left.contains(leading) {
      index = leading
    } else {
      repeat { index = (index + 1) % all.count } while !left.contains(index)
    }
    return hasMore
  }

  /// A connection has stood for a while.
  mutating func beginRound() {
    left = Set(all.indices)
  }

  /// What went wrong in the round that has ended: with the places, if there are several.
  func told(_ why: String) -> String { all.count == 1 ? why : faults.joined(separator: "; ") }

  /// Where a place stands in the list.
  private func find(_ place: String) -> Int? {
    guard let wanted = try? Endpoint(reading: place).description else { return nil }
    return all.firstIndex { $0.description == wanted }
  }
}
