/// What the server says on one connection: each line goes to the part that it concerns.
struct Incoming {
  let connection: Connection
  let token: Token?
  let setup: Setup
  let requests: Requests
  let offers: Offers
  let links: Links
  let subscriptions: Subscriptions
  /// Tells people what the server does or says; and its error, if it is one.
  let said: (String, BatonError?) -> Void
  /// What the server said last, if it answers no request. If the server closes then, this is why.
  private(set) var fault: BatonError?
  /// The place of the server that leads, as one has said that does not.
  private(set) var leader: String?
  /// Why the client is to end.
  private(set) var end: BatonError?

  /// A line has come. Unknown lines are ignored, so that the server can grow. Throws `refused` where the server does
  /// not take what this client is, `connectionLost` where the connection is of no more use.
  mutating func take(_ line: ServerLine) throws(BatonError) {
    fault = nil
    switch line.op {
    case "offer", "notice": offers.take(line)
    case "lapsed": line.integer("id").map(offers.lapse)
    case "event": subscriptions.deliver(line)
    case "missed": subscriptions.lose(line)
    case "left_out": subscriptions.leaveOut(line.integer("count") ?? 0)
    case "ping": connection.tell(RequestLine("pong"))
    case "moved", "replaced", "removed": links.change(line)
    case "draining":
      said("is draining: it finishes what is open and closes; this client then connects again", nil)
    default: try replied(line)
    }
  }

  private mutating func replied(_ line: ServerLine) throws(BatonError) {
    if line.op == "error" {
      end = line.refusal.ending(with: token)
      leader = line.text("leader")
    }
    if let end { throw end }
    if let id = line.integer("id") {
      if try !setup.settle(id, line) { requests.settle(id, line) }
    } else if line.op == "error", let offer = line.integer("offer") {
      offers.refuse(offer, line)
    } else if line.op == "error" {
      // Someone waits for a reply that will not come, and nobody knows who.
      if ["bad_json", "too_deep"].contains(line.text("code")) { throw .connectionLost(line.refusal.description) }
      fault = line.refusal
      // This is no server any more, whenever it closes.
      if ["not_leading", "leader_lost"].contains(line.text("code")) { throw .connectionLost(line.refusal.description) }
      // If the connection ends before it is open, whoever tells of that tells why.
      if setup.isDone { said("says: \(line.refusal)", line.refusal) }
    }
  }
}
