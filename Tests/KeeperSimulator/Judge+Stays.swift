import WorldKit

/// Values and kept events: what has its `ok` is there, and numbers of events go on, whichever node leads.
extension Judge {
  /// A request to set a value. Requests of several peers that are under way together are carried out in any order.
  fileprivate struct Setting {
    /// Nil: the value is taken away.
    let mark: Int?
    let peer: Int?
    /// Those that were carried out before it, if it was.
    let earlier: [Int]
    /// It has its `ok`.
    var isDone = false
    /// One behind it has its `ok`.
    var isOver = false
  }

  struct Stays {
    /// What each topic's value may be, in the order in which it was set.
    fileprivate var values: [String: [Setting]] = [:]
    /// Which request has set which of them.
    fileprivate var setBy: [Int: (topic: String, place: Int)] = [:]
    fileprivate var given: [String: Int] = [:]
    /// The event of each number, and the number of each event, that anybody was told.
    fileprivate var marks: [Int: Int] = [:]
    fileprivate var numbers: [Int: Int] = [:]
    /// The last number that whoever reads now was told; all that readers were told; and what of that is still to come, or to be
    /// told to be gone.
    fileprivate(set) var position = 0
    fileprivate var heard: Set<Int> = []
    fileprivate var owed: Set<Int> = []
    fileprivate(set) var epoch: String?
  }

  /// A value is about to be set; nil: it is taken away.
  func sets(_ topic: String, to mark: Int?, _ peer: Int) {
    let all = stays.values[topic] ?? [Judge.atFirst(nil)]
    let earlier = all.indices.filter { all[$0].isDone || all[$0].peer == peer }
    stays.values[topic] = all + [Setting(mark: mark, peer: peer, earlier: earlier)]
    stays.setBy[nextID] = (topic, all.count)
  }

  private static func atFirst(_ mark: Int?) -> Setting { Setting(mark: mark, peer: nil, earlier: [], isDone: true) }

  /// The request to publish has its `ok`.
  func published(_ id: Int) {
    guard let (topic, place) = stays.setBy[id] else { return }
    stays.values[topic]?[place].isDone = true
    for one in stays.values[topic]?[place].earlier ?? [] { stays.values[topic]?[one].isOver = true }
    reach("values kept")
  }

  /// What was set by a server that is gone counts no more, nor does its `ok`.
  func beginsToView() { (stays.setBy, stays.given) = ([:], [:]) }

  /// All values were given that the server had when it began.
  func hasViewed() {
    for (topic, all) in stays.values {
      let mark = stays.given[topic]
      check(
        all.contains { !$0.isOver && $0.mark == mark }, "values stay",
        "\(topic) is \(mark.map(String.init) ?? "away"), and may be \(all.filter { !$0.isOver }.map(\.mark))")
      stays.values[topic] = [Judge.atFirst(mark)]
    }
  }

  /// Somebody reads on behind this number.
  func reads(after number: Int) {
    stays.owed = stays.heard.filter { $0 > number }
    stays.position = number
  }

  func hearsStays(_ line: SaidLine) {
    switch line.text("op") {
    case "ok" where line.has("epoch"):
      check(stays.epoch == nil || stays.epoch == line.text("epoch"), "the epoch of events goes on", line.spelled)
      stays.epoch = line.text("epoch")
    case "missed":
      stays.owed = []
      reach("missed")
    case "event" where line.isTrue("retained"):
      if let topic = line.text("topic") { stays.given[topic] = line.mark }
      reach("values given")
    case "event":
      guard let number = line.number("seq") else { return }
      check(number > stays.position, "kept events come in order", line.spelled)
      stays.position = number
      stays.heard.insert(number)
      hearsOfEvent(line)
      stays.owed.remove(number)
      let lost = stays.owed.filter { $0 < number }
      check(lost.isEmpty, "kept events are missing with a word", "\(lost.sorted()) before \(line.spelled)")
    default: break
    }
  }

  /// A number is that of one event, and an event has one.
  func hearsOfEvent(_ line: SaidLine) {
    guard let number = line.number("seq"), let mark = line.mark else { return }
    let isSame = stays.marks[number] ?? mark == mark && stays.numbers[mark] ?? number == number
    check(isSame, "numbers of events go on", line.spelled)
    if stays.marks[number] != nil { reach("events given again") }
    (stays.marks[number], stays.numbers[mark]) = (mark, number)
  }
}
