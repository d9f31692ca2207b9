/// What a client says first on a new connection: hello, its links, its subscriptions, all at once, because the server
/// answers in order. The connection is open when the server has answered all of it.
final class Setup {
  private enum Step {
    case hello
    case insert(Links.Place)
    case replace(Links.Place)
    case subscribe((ServerLine) -> Void)
  }

  private let connection: Connection
  private let links: Links
  private let nextID: () -> Int
  private var steps: [Int: Step] = [:]
  /// What the server says of itself and of this client; nil until it does.
  private(set) var welcome: ServerLine?

  init(
    _ plan: Plan, _ token: Token?, _ links: Links,
    _ subscriptions: [(line: RequestLine, accepted: (ServerLine) -> Void)], on connection: Connection,
    nextID: @escaping () -> Int
  ) {
    self.connection = connection
    self.links = links
    self.nextID = nextID
    var hello = RequestLine("hello")
    hello.add("name", text: plan.name)
    hello.add("token", text: token?.text)
    hello.add("heartbeat_ms", milliseconds: plan.heartbeat)
    send(.hello, hello)
    for place in links.left { send(.insert(place), place.link.insertion(rank: place.rank)) }
    for (line, accepted) in subscriptions { send(.subscribe(accepted), line) }
  }

  /// Whether the server has answered everything.
  var isDone: Bool { steps.isEmpty }

  /// Takes a reply. Returns whether it belongs to one of the steps. Throws where the server does not take what this
  /// client is.
  func settle(_ id: Int, _ line: ServerLine) throws(BatonError) -> Bool {
    guard let step = steps.removeValue(forKey: id) else { return false }
    let code = line.op == "error" ? line.text("code") ?? "" : nil
    switch step {
    case .insert(let place) where code == "name_taken" && place.hasServed:
      // An older connection of this client still has the place, or another client has come meanwhile.
      send(.replace(place), place.link.replacement)
    case .replace(let place) where code == "no_such_handler":
      send(.insert(place), place.link.insertion(rank: place.rank))
    case _ where code != nil:
      throw line.refusal
    case .insert(let place), .replace(let place):
      try links.placed(place, line)
    case .hello:
      welcome = line
      connection.welcomed(line)
    case .subscribe(let accepted): accepted(line)
    }
    return true
  }

  private func send(_ step: Step, _ line: RequestLine) {
    let id = nextID()
    steps[id] = step
    var line = line
    line.add("id", id)
    connection.tell(line)
  }
}
