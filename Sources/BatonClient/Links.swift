/// The places of all handlers, which outlive connections.
final class Links {
  /// The place of one handler in its chain.
  final class Place {
    let link: Link
    let body: HandlerBody
    /// As the server wrote it last. With it the handler gets its old place.
    var rank: Payload?
    /// Whether it has served. A name that is taken is then its own, from an older connection.
    var hasServed = false
    /// Whether this client has it no more.
    var isGone = false

    init(_ link: Link, _ body: @escaping HandlerBody) {
      self.link = link
      self.body = body
    }
  }

  /// Whether the client drains: its links are being removed.
  var isLeaving = false
  private let places: [Place]
  private let report: @Sendable (String) -> Void
  private let changes: Changes

  init(_ plan: Plan, _ changes: Changes) {
    places = plan.handlers.map { Place($0.link, $0.body) }
    report = plan.report
    self.changes = changes
  }

  /// The place of a handler of this client.
  func find(_ chain: String, _ handler: String) -> Place? {
    places.first { $0.link.name == handler && $0.link.chain == chain }
  }

  /// The places that this client still has.
  var left: [Place] { places.filter { !$0.isGone } }

  /// Whether this client had places and has none any more.
  var areGone: Bool { !places.isEmpty && left.isEmpty }

  /// A link has another rank, or this client has it no more.
  func change(_ line: ServerLine) {
    guard let place = find(line.text("chain") ?? "", line.text("handler") ?? "") else { return }
    if line.op == "moved" {
      place.rank = line.payload("rank")
      return
    }
    place.isGone = true
    report("\(place.link.name) in \(place.link.chain) was \(line.op) by \(line.text("by") ?? "somebody")")
    changes.tell()
  }

  /// Gives the places up, and returns the lines that remove the links.
  ///
  /// A link whose place is kept stays. Without it, messages would pass that it is there to stop.
  func removals() -> [RequestLine] {
    let places = left.filter { !$0.link.isKept }
    for place in places { place.isGone = true }
    return places.map(\.link.removal)
  }
}
