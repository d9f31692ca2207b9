/// The rank of a new link, and with it its place (contract, section 5, `at`, `before`, `after`, `rank`).
extension Router {
  /// Ranks are at most so far from 0.
  static let mostRank = 1e9
  /// As many links go up one after the other, or are numbered anew, if there is no number left between two ranks.
  private static let fewLinks = 64
  /// In a longer chain, as many links as this on each side of the place are spread at most.
  private static let manyLinks = 1024
  /// As many `moved` lines are written at once. The rest are written in the next turns.
  private static let movedAtOnce = 256

  /// The rank that the request asks for; the first one behind the declared links if it would stand ahead of them. A
  /// rank that is made here differs from all others of the chain: it is the middle between its neighbours' or, at an
  /// end, one more or one less. If no number is left, links nearby get other ranks. Throws if no rank is left among the
  /// nearest thousand links. Not `isAsked`: the `rank` of the request does not count (contract, section 11).
  mutating func makeRank(
    beside neighbour: Slot<Link>?, isAsked: Bool = true, in chain: Slot<Chain>, at now: Instant
  ) throws(Fault) -> Double {
    let wanted = isAsked ? request.double(.rank) : nil
    if let wanted, !isAheadOfDeclared(wanted, in: chain) { return wanted }
    let root = chains[chain].order
    let isFront = wanted != nil || request.has(.at) && request.value(.at).isText("front", in: request.line)
    var above = isFront ? frontNode(of: chain) : .nobody
    if let neighbour {
      above = links[neighbour].node
      if request.has(.after) { above = linkOrder.nextWeighted(above, in: root) }
    }
    let below = liveNode(before: above, in: chain)
    if let rank = Router.rank(between: rank(at: below), and: rank(at: above)) { return rank }
    let start = below == .nobody ? linkOrder.first(root) : linkOrder.next(below)
    if let rank = pushUp(from: start, behind: rank(at: below), at: now) { return rank }
    if linkOrder.count(root) <= Router.fewLinks { return numberAnew(chain, with: start, at: now) }
    if let rank = spread(around: start, in: chain, at: now) { return rank }
    throw Fault(
      .limitReached, "no rank is left at this place of the chain; choose another place, or give a rank of your own")
  }

  /// The last node before `node` whose link has not ended. The end of the chain is `nobody`.
  private mutating func liveNode(before node: Slot<OrderNode>, in chain: Slot<Chain>) -> Slot<OrderNode> {
    let root = chains[chain].order
    if node != .nobody { return linkOrder.previousWeighted(node, in: root) }
    return chains[chain].live == 0 ? .nobody : linkOrder.weightedNode(root, at: chains[chain].live - 1)
  }

  private mutating func rank(at node: Slot<OrderNode>) -> Double? {
    node == .nobody ? nil : links[linkOrder.element(node)].rank
  }

  /// A rank strictly between two others; nil if there is none within ±1e9.
  private static func rank(between below: Double?, and above: Double?) -> Double? {
    switch (below, above) {
    case (nil, nil): return 1
    case (let below?, nil): return below + 1 <= mostRank ? below + 1 : nil
    case (nil, let above?): return above - 1 >= -mostRank ? above - 1 : nil
    case (let below?, let above?):
      let middle = below + (above - below) / 2
      return below < middle && middle < above ? middle : nil
    }
  }

  /// Makes room at `start`: the ranks of the links that follow go up by as much as they must. Returns nil, and moves
  /// nothing, if these are too many or would leave the range.
  private mutating func pushUp(from start: Slot<OrderNode>, behind below: Double?, at now: Instant) -> Double? {
    guard let below else { return nil }
    var last = below + 1
    var reached = last
    var ranks: [(link: Slot<Link>, rank: Double)] = []
    var node = start
    while node != .nobody {
      let link = linkOrder.element(node)
      if links[link].rank > reached { break }
      if ranks.count == Router.fewLinks { return nil }
      // An ended link takes no number: it stays just behind the link before it.
      if links[link].fate == nil { last += 1 }
      reached = links[link].fate == nil ? last : reached.nextUp
      ranks.append((link, reached))
      node = linkOrder.next(node)
    }
    guard last <= Router.mostRank else { return nil }
    var told = 0
    for (link, rank) in ranks { move(link, to: rank, told: &told, at: now) }
    return below + 1
  }

  /// Numbers the links of a short chain from 1 on, with room for a link before `start`.
  private mutating func numberAnew(_ chain: Slot<Chain>, with start: Slot<OrderNode>, at now: Instant) -> Double {
    var last = 0.0
    var own = 0.0
    var told = 0
    var node = linkOrder.first(chains[chain].order)
    while node != .nobody {
      if node == start {
        own = last.rounded(.down) + 1
        last = own
      }
      let link = linkOrder.element(node)
      last = links[link].fate == nil ? last.rounded(.down) + 1 : last.nextUp
      move(link, to: last, told: &told, at: now)
      node = linkOrder.next(node)
    }
    return start == .nobody ? last.rounded(.down) + 1 : own
  }

  /// Numbers a link and all behind it, with room before them for these links, which go there then.
  mutating func numberAnew(from start: Slot<Link>, but others: [Slot<Link>], told: inout Int, at now: Instant) {
    var last = Double(others.count)
    let others = Set(others)
    var node = links[start].node
    while node != .nobody {
      let link = linkOrder.element(node)
      let isLeft = links[link].fate == nil && !others.contains(link)
      last = isLeft ? last.rounded(.down) + 1 : last.nextUp
      if isLeft { move(link, to: last, told: &told, at: now) } else { links[link].rank = last }
      node = linkOrder.next(node)
    }
  }

  /// Makes room before `start` in a long chain: gives as few links as possible on both sides ranks at equal distances.
  /// The more links these are, the more room they must get: so a link is moved a logarithmic number of times for each
  /// link that is inserted.
  private mutating func spread(around start: Slot<OrderNode>, in chain: Slot<Chain>, at now: Instant) -> Double? {
    let root = chains[chain].order
    var left = start == .nobody ? linkOrder.last(root) : linkOrder.previous(start)
    var right = start
    var (before, behind) = (0, 0)
    var reach = Router.fewLinks / 2
    while reach <= Router.manyLinks {
      while before < reach, left != .nobody { (left, before) = (linkOrder.previous(left), before + 1) }
      while behind < reach, right != .nobody { (right, behind) = (linkOrder.next(right), behind + 1) }
      let first = left == .nobody ? linkOrder.first(root) : linkOrder.next(left)
      let last = right == .nobody ? linkOrder.last(root) : linkOrder.previous(right)
      let width = Double(before + behind + 1)
      let low = rank(at: left) ?? max(-Router.mostRank - 1, (rank(at: first) ?? 0) - width)
      let high = rank(at: right) ?? min(Router.mostRank + 1, (rank(at: last) ?? 0) + width)
      let distance = (high - low) / (width + 1)
      if distance >= max(abs(low), abs(high)).ulp * 32 * Double(reach) {
        return place(from: first, before, behind, low, distance, at: now)
      }
      reach *= 2
    }
    return nil
  }

  /// Gives the links from `first` on ranks at equal distances, and returns the rank that is left out behind `before` of
  /// them.
  private mutating func place(
    from first: Slot<OrderNode>, _ before: Int, _ behind: Int, _ low: Double, _ distance: Double, at now: Instant
  ) -> Double {
    var node = first
    var told = 0
    for index in 0..<before + behind {
      let number = index < before ? index + 1 : index + 2
      move(linkOrder.element(node), to: low + distance * Double(number), told: &told, at: now)
      node = linkOrder.next(node)
    }
    return low + distance * Double(before + 1)
  }

  /// Gives a link another rank, and tells every connection that serves it. `told` counts the lines of this request.
  private mutating func move(_ link: Slot<Link>, to rank: Double, told: inout Int, at now: Instant) {
    spent &+= Cost.look
    guard links[link].rank != rank else { return }
    links[link].rank = rank
    noteMoved(link, told: &told, at: now)
  }

  /// A link has another rank. Every connection that serves it is told so, now or in one of the next turns.
  mutating func noteMoved(_ link: Slot<Link>, told: inout Int, at now: Instant) {
    guard links[link].fate == nil, links[link].connections > 0 else { return }
    told += links[link].connections
    if told <= Router.movedAtOnce {
      tellMoved(link, at: now)
    } else if !links[link].isMoveUntold {
      links[link].isMoveUntold = true
      if movedLinks.isEmpty { beginJob(.tellMoved) }
      movedLinks.append(links.ref(link))
    }
  }

  /// Tells every connection that serves a link its rank.
  private mutating func tellMoved(_ link: Slot<Link>, at now: Instant) {
    var replica = links[link].firstReplica
    while replica != .nobody {
      let owner = replicas[replica].connection
      var writer = beginLine(to: owner, atMost: 96 + replicas[replica].label.count)
      writer.literal("{\"op\":\"moved\",")
      writer.raw(replicas[replica].label.bytes)
      writer.literal(",\"rank\":")
      writer.number(links[link].rank)
      writer.literal("}\n")
      commitLine(writer, to: owner, at: now)
      spent &+= Cost.delivery
      replica = replicas[replica].nextAtLink
    }
  }

  /// Tells the ranks of the next links that were moved. Returns false if none is left.
  mutating func tellNextMoved(at now: Instant) -> Bool {
    for _ in 0..<16 {
      guard let ref = movedLinks.popFirst() else { return false }
      guard links.contains(ref) else { continue }
      links[ref.slot].isMoveUntold = false
      if links[ref.slot].fate == nil { tellMoved(ref.slot, at: now) }
    }
    return !movedLinks.isEmpty
  }
}
