import BatonCore
import WorldKit

/// One of the peers that come and go: what it waits for, what it means to answer, and how it reads.
struct ChurnPeer {
  let connection: Int
  var leavesAt: Instant
  let isHandler: Bool
  /// It reads at once what is sent to it; others read a little at a time.
  let isEager: Bool
  /// It answers at once; others later, and some never.
  private let answersWithin: Int
  /// The server reads from it.
  var isRead = true
  /// It has shut down its writing side.
  var isSilent = false
  /// Ids of requests that are not answered yet.
  private(set) var waitsFor: [Int: Instant] = [:]
  /// Ids of requests that want no reply; an error may still come.
  private var silent: Set<Int> = []
  private var offers = 0
  private var verdicts: [(due: Instant, bytes: [UInt8])] = []
  /// What was read of a line without its end.
  var partial: [UInt8] = []

  init(connection: Int, leavesAt: Instant, isEager: Bool?, using luck: inout Generator) {
    self.connection = connection
    self.leavesAt = leavesAt
    isHandler = luck.chance(50)
    self.isEager = isEager ?? luck.chance(85)
    answersWithin = luck.pick([0, 0, 5, 50, 500, .max])
  }

  mutating func asked(_ line: ChurnLines.Line, at now: Instant) {
    if line.wantsReply { waitsFor[line.id] = now } else { silent.insert(line.id) }
  }

  /// A request from before that time that should have had a reply.
  func unanswered(since limit: Instant) -> Int? {
    isEager && !isSilent && isRead ? waitsFor.first { $0.value < limit }?.key : nil
  }

  /// The verdicts that are due by now, as bytes.
  mutating func takeDueVerdicts(at now: Instant) -> [UInt8] {
    var bytes: [UInt8] = []
    verdicts.removeAll { verdict in
      if verdict.due > now { return false }
      bytes += verdict.bytes
      return true
    }
    return bytes
  }

  /// A line has come. Returns what is wrong with it, or nil.
  mutating func hear(_ line: ServerLine, at now: Instant, using luck: inout Generator) -> String? {
    switch line.op {
    case .offer:
      offers += 1
      if line.integer(.id) != offers { return "offers count 1, 2, 3, and this is the \(offers)th" }
      consider(offers, at: now, using: &luck)
    case .ok, .result, .pong, .welcome, .chains, .explained, .help:
      guard let id = line.integer(.id), waitsFor.removeValue(forKey: id) != nil else { return "it was not asked for" }
    case .error:
      guard let id = line.integer(.id) else { return nil }
      if waitsFor.removeValue(forKey: id) == nil, silent.remove(id) == nil { return "it was not asked for" }
    default: break
    }
    return nil
  }

  private mutating func consider(_ offer: Int, at now: Instant, using luck: inout Generator) {
    if answersWithin == .max || luck.chance(3) { return }
    let due = now.advanced(milliseconds: luck.below(answersWithin + 1))
    let verdict =
      switch luck.below(10) {
      case ..<3: "{\"op\":\"handled\",\"id\":\(offer),\"payload\":\(offer)}\n"
      case ..<7: "{\"op\":\"continue\",\"id\":\(offer)}\n"
      case 7: "{\"op\":\"continue\",\"id\":\(offer),\"payload\":[\(offer),\"rewritten\"]}\n"
      case 8: "{\"op\":\"reject\",\"id\":\(offer),\"message\":\"no\"}\n"
      default: "{\"op\":\"failed\",\"id\":\(offer)}\n"
      }
    verdicts.append((due, Array(verdict.utf8)))
  }
}
