/// A walk that has ended, as the server describes it to subscribers of `$baton.trace`.
struct FinishedWalk: Decodable {
  let walk: Int
  let chain: String
  let topic: String
  let from: String
  let key: String?
  let status: String
  let by: String?
  let hops: Int
  let again: Bool?
  let keyWaitMicroseconds: Int?
  let totalMicroseconds: Int
  let trace: [Hop]

  enum CodingKeys: String, CodingKey {
    case walk, chain, topic, from, key, status, by, hops, again, trace
    case keyWaitMicroseconds = "key_wait_us"
    case totalMicroseconds = "total_us"
  }

  /// What happened at one link.
  struct Hop: Decodable {
    let chain: String
    let handler: String?
    let mount: String?
    let outcome: String?
    let skipped: String?
    let waitMicroseconds: Int?
    let serviceMicroseconds: Int?
    let rewrote: Bool?
    let again: Bool?

    enum CodingKeys: String, CodingKey {
      case chain, handler, mount, outcome, skipped, rewrote, again
      case waitMicroseconds = "wait_us"
      case serviceMicroseconds = "service_us"
    }

    var name: String { handler ?? mount ?? "" }
  }

  /// The colour of the status on a terminal.
  var statusStyle: Style {
    switch status {
    case "handled", "published": .green
    case "unhandled", "rejected": .yellow
    default: .red
    }
  }
}
