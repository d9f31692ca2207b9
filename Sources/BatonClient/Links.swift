/// The links of a client on the server. They outlive connections.
final class Links {
  /// The place of one handler in its chain.
  final class Place {
    var link: Link
    let body: HandlerBody
    /// As the server wrote it last. With it the handler gets its old place.
    var rank: Payload?
    /// Whether it has served, or takes over. A name that is taken is then its own, from an older connection.
    var hasServed: Bool
    /// Whether this client has it no more.
    var isGone = false
    /// What people were told of it last.
    fileprivate var told = ""

    init(_ link: Link, _ body: @escaping HandlerBody) {
      self.link = link
      self.body = body
      hasServed = link.takesOver
    }
  }

  /// Whether the client drains: its links are being removed.
  var isLeaving = false
  private let requests: Requests
  private let report: @Sendable (String) -> Void
  private let placed: @Sendable (TakenPlace) -> Void
  private let lost: @Sendable () -> Void
  private let changes: Changes
  /// The last place of each link, and those that this client still has, in their order.
  private var places: [LinkName: Place] = [:]
  private(set) var left: [Place] = []
  private var hadAny = false
  /// Those that the server keeps a place for, and that were taken out without a connection.
  private var leftovers: [LinkName: Place] = [:]

  init(_ plan: Plan, _ requests: Requests, _ changes: Changes) {
    self.requests = requests
    report = plan.report
    placed = plan.placed
    lost = plan.lost
    self.changes = changes
    for handler in plan.handlers { take(Place(handler.link, handler.body)) }
  }

  /// The place of a handler of this client.
  func find(_ chain: String, _ handler: String) -> Place? { places[LinkName(chain: chain, handler: handler)] }

  /// Whether this client had places and has none any more.
  var areGone: Bool { hadAny && left.isEmpty }

  // MARK: What the server says

  /// A link has another rank, or this client has it no more.
  func change(_ line: ServerLine) {
    guard let place = find(line.text("chain") ?? "", line.text("handler") ?? "") else { return }
    if line.op == "moved" {
      place.rank = line.rank ?? place.rank
      return
    }
    lose(place)
    lost()
    let chain = place.link.chain
    let what = "\(place.link.name) in \(chain) was \(line.op) by \(line.text("by") ?? "somebody") and stays away"
    report("\(what); baton chains \(chain) shows who serves there")
    changes.tell()
  }

  /// The server has accepted an `insert` or a `replace`. Throws where the configuration file makes a guard none. Anything
  /// else that the file decides otherwise is told once.
  func placed(_ place: Place, _ line: ServerLine) throws(BatonError) {
    place.rank = line.rank ?? place.rank
    place.hasServed = true
    let ignored = line.texts("ignored")
    let title = "\(place.link.chain)/\(place.link.name)"
    let weaker = ignored.filter { ["accepts", "on_failure", "required", "shadow", "percent", "when"].contains($0) }
    if place.link.isGuard, !weaker.isEmpty {
      throw .notAGuard(
        "\(title) would be no guard: the configuration file decides \(weaker.joined(separator: ", ")); baton chains shows "
          + "what holds there")
    }
    let told = ignored.filter { !["at", "before", "after", "rank"].contains($0) }.joined(separator: ", ")
    if !told.isEmpty, told != place.told { report("\(title): the configuration file decides \(told)") }
    place.told = told
    placed(
      TakenPlace(
        link: place.link, position: line.integer("position"), links: line.integer("links"),
        isDeclared: line.flag("declared")))
  }

  // MARK: What the program wants

  /// Inserts a handler while the client is connected. If that fails, it is no handler of this client.
  func add(_ link: Link, _ body: @escaping HandlerBody, isolation: isolated (any Actor)? = #isolation) async throws {
    try link.check()
    if let old = places[link.title], !old.isGone {
      throw BatonError.refused(
        code: "name_taken", message: "this client has the handler \(link.chain)/\(link.name) already")
    }
    let place = Place(link, body)
    // Nobody else may add the name meanwhile. It is not inserted again before the server has accepted it.
    places[link.title] = place
    var fault: BatonError?
    do {
      _ = try await requests.ask(link.insertion(rank: nil)) { line in
        do throws(BatonError) { try self.placed(place, line) } catch { fault = error }
        if fault != nil || place.isGone {
          // Its place is the file's, and stays; or nobody waits for it any more.
          place.isGone = true
          self.requests.tellSilently(link.removal)
        } else {
          self.leftovers[link.title] = nil
          self.left.append(place)
          self.hadAny = true
        }
      }
    } catch {
      if left.contains(where: { $0 === place }) {
        // It serves already. Who was cancelled does not want it.
        requests.tellSilently(link.removal)
      } else if case BatonError.connectionLost = error, link.isKept {
        leftovers[link.title] = place
      }
      lose(place)
      throw error
    }
    if let fault {
      lose(place)
      throw fault
    }
  }

  /// Takes a handler out. Without a connection it leaves the plan; a place that the server keeps is removed on return.
  func remove(_ place: Place, isolation: isolated (any Actor)? = #isolation) async throws {
    guard !place.isGone else { return }
    let link = place.link
    lose(place)
    changes.tell()
    do {
      if requests.isConnected {
        _ = try await requests.ask(link.removal)
      } else if link.isKept {
        leaveBehind(place)
      }
    } catch BatonError.refused(code: "no_such_handler", _) {
      return
    } catch BatonError.connectionLost {
      if link.isKept { leaveBehind(place) }
    }
  }

  /// Gives a handler other settings. Without a connection it comes back with them.
  func update(
    _ place: Place, _ settings: LinkChanges, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    if settings.isEmpty { return }
    try settings.check(for: place.link)
    guard requests.isConnected else { return settings.apply(to: &place.link) }
    var fault: BatonError?
    _ = try await requests.ask(settings.line(for: place.link)) { line in
      settings.apply(to: &place.link)
      do throws(BatonError) { try self.placed(place, line) } catch { fault = error }
    }
    if let fault { throw fault }
  }

  /// Gives a handler another place.
  func move(_ place: Place, to target: Link.Place, isolation: isolated (any Actor)? = #isolation) async throws {
    try target.check()
    guard requests.isConnected else {
      throw BatonError.unreachable("there is no connection, and without one nobody knows where the handler would stand")
    }
    _ = try await requests.ask(place.link.moving(to: target)) { place.rank = $0.rank ?? place.rank }
  }

  // MARK: Going and coming back

  /// Gives the places up, and returns the lines that remove the links.
  ///
  /// A link whose place is kept stays. Without it, messages would pass that it is there to stop.
  func removals() -> [RequestLine] {
    let places = left.filter { !$0.link.isKept }
    for place in places { lose(place) }
    return places.map(\.link.removal)
  }

  /// A connection is open. Removes the places that were left behind.
  func tidyUp() {
    let all = leftovers.values.sorted { ($0.link.chain, $0.link.name) < ($1.link.chain, $1.link.name) }
    leftovers = [:]
    for place in all { requests.tellSilently(place.link.removal) }
  }

  private func take(_ place: Place) {
    places[place.link.title] = place
    left.append(place)
    hadAny = true
  }

  /// This client has it no more. Offers that it has got are still answered.
  private func lose(_ place: Place) {
    place.isGone = true
    left.removeAll { $0 === place }
  }

  private func leaveBehind(_ place: Place) {
    if places[place.link.title] === place { leftovers[place.link.title] = place }
  }
}

/// Where a handler stands in its chain, as the server has said it.
package struct TakenPlace: Sendable {
  package let link: Link
  /// Which of the links it is, from 1.
  package let position: Int?
  /// How many links the chain has.
  package let links: Int?
  /// Whether the configuration file declares it: nobody else takes it out.
  package let isDeclared: Bool
}
