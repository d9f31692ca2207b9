import BatonModel

/// What happens next in a world.
extension World {
  func next() -> Step {
    if steps >= plan.drainsAt ?? .max, !isDraining {
      isDraining = true
      return .drain
    }
    if let entries = model.entries {
      if luck.below(1000) < plan.reloads {
        return .edit(plan.edited(entries, using: &luck), model.fileChains, isRead: luck.chance(80))
      }
    }
    if plan.needsNewcomers, living.count <= plan.peers / 2, luck.chance(20) { return .open }
    if luck.below(1000) < plan.rearranges {
      let chains = plan.rearranged(model.fileChains, using: &luck)
      return .edit(model.file, chains, isRead: luck.chance(90))
    }
    if plan.relimits > 0, luck.below(1000) < plan.relimits {
      return .limit(plan.relimited(model.fileSettings, using: &luck))
    }
    if plan.hasSlowReaders, luck.chance(25), let step = reads() { return step }
    switch luck.below(1000) {
    case ..<plan.passing: return pass()
    case 960..<970: return .open
    case 970..<(970 + plan.deaths): return death()
    default: return talk() ?? pass()
    }
  }

  /// A peer sends one line or a few, or begins one.
  private func talk() -> Step? {
    // A peer from which the server does not read sends nothing.
    let talking = living.filter { model.peers[$0].phase == .open && model.peers[$0].stoppedAt == nil }
    guard let (connection, asked) = maker.ask(model, talking, using: &luck) else { return nil }
    let first = peers[connection].begun?.asked ?? asked.spelled(using: &luck)
    if peers[connection].begun == nil, luck.chance(plan.cuts) {
      return .beginning(connection, first, luck.between(1...first.line.utf8.count))
    }
    var lines = [first]
    while luck.chance(plan.bursts), lines.count < 6, let more = maker.ask(model, [connection], using: &luck) {
      lines.append(more.asked.spelled(using: &luck))
    }
    return .lines(connection, lines)
  }

  /// A slow reader reads a little.
  private func reads() -> Step? {
    let slow = living.filter { peers[$0].reading == .slow && driver.unsentCount(of: $0) > 0 }
    return slow.isEmpty ? nil : .reads(luck.pick(slow), luck.between(1...(luck.chance(50) ? 100 : 2000)))
  }

  private func pass() -> Step {
    let toAlarm = (wakeAt ?? now + 1) - now
    switch luck.below(100) {
    case ..<40: return .pass(luck.below(4))
    case ..<85: return .pass(max(0, toAlarm))
    case ..<97: return .pass(max(0, toAlarm) + luck.below(plan.lateness))
    default: return .pass(luck.below(plan.leap))
    }
  }

  private func death() -> Step {
    guard living.count > 2 else { return .open }
    let connection = luck.pick(living)
    if shutDown.contains(connection) || luck.chance(60) { return .close(connection) }
    // The contract leaves open whether a reload or its last result ends a connection that is half-closed.
    if plan.reloads > 0, model.entries != nil { return .close(connection) }
    let peer = model.peers[connection]
    return peer.phase == .open && peer.stoppedAt == nil ? .halfClose(connection) : .pass(1)
  }
}
