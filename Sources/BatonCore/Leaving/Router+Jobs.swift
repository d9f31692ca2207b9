/// Jobs: work that goes on in pieces, between which others have their turn. They have an account of their own.
extension Router {
  /// Does a piece of each job in turn, as far as one turn has room.
  mutating func carryOnJobs(at now: Instant) {
    var used = 0
    beginOwnSteps()
    while used < Cost.own, let job = nextJob() {
      if carryOn(job, at: now) { beginJob(job) }
      used += endOwnStep(at: now)
    }
  }

  /// Does a piece of a job. Returns true if more is left of it.
  private mutating func carryOn(_ job: Job, at now: Instant) -> Bool {
    switch job {
    case .leave(let connection): return leaveFurther(connection.slot, at: now)
    case .serveLink(let link):
      if links.contains(link) { serveNow(link, at: now) }
      return false
    case .serveLinks(let connection):
      return connections.contains(connection) && serveNextLinks(of: connection.slot, at: now)
    case .failWaiting(let link):
      // A handler may have come back meanwhile.
      guard links.contains(link), links[link.slot].fate != nil || links[link.slot].isAbsent else { return false }
      let isMoreLeft = failWaiting(at: link, .disconnect, at: now)
      if !isMoreLeft { finishTakingOut(link) }
      return isMoreLeft
    case .passOn(let link):
      let isMoreLeft = links.contains(link) && passOnWaiting(at: link, at: now)
      if !isMoreLeft { finishTakingOut(link) }
      return isMoreLeft
    case .sift(let link): return links.contains(link) && siftWaiting(at: link, at: now)
    case .walk(let walk):
      guard walks.contains(walk), walks[walk.slot].isParked else { return false }
      walkFurther(walk.slot, at: now)
      return false
    case .passTurns:
      passNextTurns(at: now)
      return false
    case .tidy(let chain):
      if chains.contains(chain) { tidy(chain.slot) }
      return false
    case .close(let chain): return chains.contains(chain) && closeFurther(chain.slot, at: now)
    case .tellMoved: return tellNextMoved(at: now)
    case .review: return reviewFurther(at: now)
    case .replay(let connection):
      carryOnReplay(to: connection, at: now)
      return false
    case .settleStored: return settleStored(at: now)
    case .settleRecord: return settleRecord(at: now)
    case .forget: return forgetFurther(at: now)
    case .shrink: return shrinkFurther()
    case .checkClocks: return checkNextClocks(at: now)
    case .tellDraining(let next):
      tellDraining(from: next, at: now)
      return false
    case .endWalks: return endNextWalks(at: now)
    }
  }
}
