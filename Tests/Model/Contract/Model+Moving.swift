/// `move` (contract, section 5, "Moving a link").
extension Model {
  mutating func move(_ wish: Move, _ asked: Asked, from connection: Int) throws(Refusal) {
    let chain = wish.chain ?? "main"
    let link = try find(wish, in: chain)
    if links[link].isDeclared, keeps(.declaredAreNotMoved) { throw notAllowed() }
    try check(wish.place, in: chain)
    if wish.place.neighbour == links[link].name { throw Refusal("bad_member") }
    seen.insert(links[link].isMount ? .movedMount : .movedLink)
    let rank = rank(for: wish.place, in: chain)
    keepPast(of: link)
    stand(link, at: rank)
    tellMoved(link)
    var line = Line("ok", to: asked)
    line.add("chain", chain)
    line.add(links[link].isMount ? "on" : "handler", links[link].name)
    tellPlace(of: link, to: &line)
    reply(line, to: asked, of: connection)
    noteChange("moved", link, by: connection)
    tell("link.moved", describe(link, by: connection), about: link)
  }

  private func find(_ wish: Move, in chain: String) throws(Refusal) -> Int {
    guard wish.isMount else { return try findHandler(wish.name, in: chain) }
    guard let link = find(wish.name, in: chain), links[link].isMount else { throw Refusal("no_such_mount") }
    return link
  }
}

extension Place {
  /// The link that it names.
  var neighbour: String? {
    switch self {
    case .before(let name), .after(let name): name
    case .front, .back, .rank: nil
    }
  }
}
