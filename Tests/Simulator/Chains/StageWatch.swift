import WorldKit

/// Holds where messages stand against what handlers were asked (contract, section 5, "Stages"): a message stands at one link,
/// or at links of one stage. So it goes on behind a stage once, when each place there is settled. No offer outlives its
/// message. Where it is not sure whether an offer is open, it takes it for settled.
struct StageWatch {
  private struct Offer: Hashable {
    let connection: Int
    let id: Int
  }

  /// The open offers of each message; true of those in a stage.
  private var open: [Int: [Offer: Bool]] = [:]
  private var walks: [Offer: Int] = [:]
  /// Messages that got an offer in this call, and those that ended.
  private var asked: Set<Int> = []
  private var ended: Set<Int> = []
  /// Offers that were answered in this call, and connections of which all are. The lines of a call are heard before what it
  /// says: what was due first may still ask who leaves in it.
  private var answered: [Offer] = []
  private var left: Set<Int> = []
  private(set) var violation: Violation?

  /// The server has said a line to a connection.
  mutating func said(_ line: SaidLine, to connection: Int) {
    switch line.op {
    case "offer" where !line.isTrue("shadow"):
      guard let id = line.number("id"), let walk = line.number("walk") else { return }
      let offer = Offer(connection: connection, id: id)
      open[walk, default: [:]][offer] = line.isTrue("together")
      walks[offer] = walk
      asked.insert(walk)
    case "lapsed":
      if let id = line.number("id") { settle(Offer(connection: connection, id: id)) }
    case "result":
      if let walk = line.number("walk") { ended.insert(walk) }
    default: break
    }
  }

  /// The server has a line of a connection.
  mutating func heard(_ line: SentLine, from connection: Int) {
    guard case .verdict = line.kind else { return }
    let verdict = SaidLine(line.bytes.dropLast())
    guard verdict.op != "working" else { return }
    if let id = verdict.number("id") { return answered.append(Offer(connection: connection, id: id)) }
    leaves(connection)
  }

  /// The connection is gone, or serves no link any more.
  mutating func leaves(_ connection: Int) { left.insert(connection) }

  private mutating func settle(_ offer: Offer) {
    guard let walk = walks.removeValue(forKey: offer) else { return }
    open[walk]?[offer] = nil
    if open[walk]?.isEmpty == true { open[walk] = nil }
  }

  /// A call is over.
  mutating func judge() {
    answered.forEach { settle($0) }
    if !left.isEmpty { for offer in walks.keys where left.contains(offer.connection) { settle(offer) } }
    for walk in asked.sorted() {
      guard let offers = open[walk], offers.count > 1, offers.values.contains(false) else { continue }
      fail(.atOnePlace, "walk \(walk) is at \(offers.count) links, and not all are in a stage")
    }
    for walk in ended.sorted() {
      guard let offers = open[walk] else { continue }
      fail(.offersEnd, "walk \(walk) has ended, and \(offers.count) offers are open")
    }
    asked = []
    ended = []
    answered = []
    left = []
  }

  private mutating func fail(_ invariant: Invariant, _ detail: String) {
    if violation == nil { violation = Violation(invariant: invariant, detail: detail) }
  }
}
