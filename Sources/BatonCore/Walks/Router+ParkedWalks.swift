/// Walks that wait on their way between two links, until their sender has credit again (contract, section 10, `Turns`).
extension Router {
  /// Messages of more bytes than this are copied at their sender's cost.
  private static let largeMessage = 4096

  /// Whether a walk has to wait before it is offered anywhere: its message is large, and its sender has no credit left.
  @inline(__always)
  mutating func mustWait(_ walk: Slot<Walk>) -> Bool {
    walks[walk].message.count > Router.largeMessage && !maySenderWork(walk)
  }

  mutating func maySenderWork(_ walk: Slot<Walk>) -> Bool {
    let sender = walks[walk].sender
    return !connections.contains(sender) || mayWork(sender.slot)
  }

  /// The sender pays for the copy of a large message, or for one that nobody waits for.
  @inline(__always)
  mutating func payCopy(of walk: Slot<Walk>, isShadow: Bool) {
    guard walks[walk].message.count > Router.largeMessage || isShadow else { return }
    paySender((isShadow ? Cost.step : 0) + Cost.copying(walks[walk].bytes), of: walk)
  }

  mutating func paySender(_ cost: Int, of walk: Slot<Walk>) {
    let sender = walks[walk].sender
    if connections.contains(sender) {
      charge(cost, to: sender.slot)
    } else if walks[walk].attempt != .nobody {
      desk.pay(cost)
    }
  }

  /// A walk that stands nowhere waits for its sender's next turn. If the sender is gone, a job goes on with it.
  mutating func parkWalk(_ walk: Slot<Walk>) {
    walks[walk].isParked = true
    walks[walk].due = walks[walk].deadline
    armWalk(walk)
    let sender = walks[walk].sender
    guard connections.contains(sender), !connections[sender.slot].isGone else {
      return beginJob(.walk(walks.ref(walk)))
    }
    let last = connections[sender.slot].sending.lastParked
    walks[walk].previousAtLink = last
    walks[walk].nextAtLink = .nobody
    if last != .nobody { walks[last].nextAtLink = walk } else { connections[sender.slot].sending.firstParked = walk }
    connections[sender.slot].sending.lastParked = walk
    park(sender.slot)
  }

  /// A walk does not wait for its sender's turn any more.
  mutating func unparkWalk(_ walk: Slot<Walk>) {
    walks[walk].isParked = false
    let sender = walks[walk].sender
    let (previous, next) = (walks[walk].previousAtLink, walks[walk].nextAtLink)
    walks[walk].previousAtLink = .nobody
    walks[walk].nextAtLink = .nobody
    guard connections.contains(sender) else { return }
    if previous != .nobody {
      walks[previous].nextAtLink = next
    } else if connections[sender.slot].sending.firstParked == walk {
      connections[sender.slot].sending.firstParked = next
    }
    if next != .nobody {
      walks[next].previousAtLink = previous
    } else if connections[sender.slot].sending.lastParked == walk {
      connections[sender.slot].sending.lastParked = previous
    }
  }

  /// A job goes on with the first parked walk of a connection that is gone.
  mutating func orphanWalk(of connection: Slot<Connection>) {
    let walk = connections[connection].sending.firstParked
    unparkWalk(walk)
    walks[walk].isParked = true
    beginJob(.walk(walks.ref(walk)))
  }
}
