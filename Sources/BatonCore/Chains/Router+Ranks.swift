/// The rank of a new link, and with it its place (contract, section 5, `at`, `before`, `after`, `rank`).
extension Router {
  private static let most = 1e9

  /// The rank that the request asks for. A rank that is made here differs from all others of the chain: it is the
  /// middle between its neighbours' or, at an end, one more or one less. If no number is left, the links that follow
  /// are renumbered.
  mutating func makeRank(beside neighbour: Slot<Link>?, in chain: Slot<Chain>, at now: Instant) -> Double {
    if let rank = request.double(.rank) { return rank }
    let order = chains[chain].order
    let isFront = request.has(.at) && request.value(.at).isText("front", in: request.line)
    var index = isFront ? 0 : order.count
    if let neighbour {
      index = findPosition(of: links[neighbour].order, in: chain) + (request.has(.after) ? 1 : 0)
    }
    let below = order[..<index].last { links[$0].fate == nil }.map { links[$0].rank }
    let above = order[index...].first { links[$0].fate == nil }.map { links[$0].rank }
    if let rank = Router.rank(between: below, and: above) { return rank }
    return renumber(chain, from: index, behind: below, at: now)
  }

  /// A rank strictly between two others; nil if there is none within ±1e9.
  private static func rank(between below: Double?, and above: Double?) -> Double? {
    switch (below, above) {
    case (nil, nil): return 1
    case (let below?, nil): return below + 1 <= most ? below + 1 : nil
    case (nil, let above?): return above - 1 >= -most ? above - 1 : nil
    case (let below?, let above?):
      let middle = below + (above - below) / 2
      return below < middle && middle < above ? middle : nil
    }
  }

  /// Makes room for a link at `index`: the ranks of the links that follow go up by as much as they must. If they would
  /// leave the range, the whole chain is renumbered from 1.
  private mutating func renumber(
    _ chain: Slot<Chain>, from index: Int, behind below: Double?, at now: Instant
  ) -> Double {
    let order = chains[chain].order
    if let below, let ranks = ranks(of: order[index...], behind: below + 1) {
      for (link, rank) in ranks { move(link, to: rank, at: now) }
      return below + 1
    }
    var last = 0.0
    for link in order[..<index] { last = next(behind: last, for: link, at: now) }
    let own = last.rounded(.down) + 1
    last = own
    for link in order[index...] { last = next(behind: last, for: link, at: now) }
    return own
  }

  /// Gives a link the next whole number behind `last`. An ended link takes no number: it stays just behind the link
  /// before it.
  private mutating func next(behind last: Double, for link: Slot<Link>, at now: Instant) -> Double {
    let rank = links[link].fate == nil ? last.rounded(.down) + 1 : last.nextUp
    move(link, to: rank, at: now)
    return rank
  }

  /// The new ranks of the links that have to move; nil if they would leave the range. An ended link takes no number: it
  /// stays just behind the link before it.
  private mutating func ranks(of following: ArraySlice<Slot<Link>>, behind start: Double) -> [(Slot<Link>, Double)]? {
    var last = start
    var reached = start
    var ranks: [(Slot<Link>, Double)] = []
    for link in following where links[link].rank <= reached {
      if links[link].fate == nil { last += 1 }
      reached = links[link].fate == nil ? last : reached.nextUp
      ranks.append((link, reached))
    }
    return last <= Router.most ? ranks : nil
  }

  /// Gives a link another rank, and tells every connection that serves it.
  private mutating func move(_ link: Slot<Link>, to rank: Double, at now: Instant) {
    guard links[link].rank != rank else { return }
    links[link].rank = rank
    guard links[link].fate == nil else { return }
    var replica = links[link].firstReplica
    while replica != .nobody {
      let owner = replicas[replica].connection
      var writer = beginLine(to: owner, atMost: 96 + replicas[replica].label.count)
      writer.literal("{\"op\":\"moved\",")
      writer.raw(replicas[replica].label.bytes)
      writer.literal(",\"rank\":")
      writer.number(rank)
      writer.literal("}\n")
      commitLine(writer, to: owner, at: now)
      replica = replicas[replica].nextAtLink
    }
  }
}
