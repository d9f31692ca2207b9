import BatonCore
import BatonLasting
import WorldKit

/// Limits: what is taken in has room, what is refused has none, and no more is kept or tried than that.
extension Judge {
  /// Whether an identity may have one more of what these have: as much as is still free; a part in any case.
  private func hasRoom(_ owners: [String], _ identity: String, most: Int) -> Bool {
    let count = Set(owners).union([identity]).count
    return owners.count { $0 == identity } < max(most - owners.count, most / count / (count + 1))
  }

  /// The same of messages that have no end, of which nobody has a part.
  private func hasRoom(for sent: Sent) -> Bool {
    let waiting = alive.compactMap { messages[$0] }.filter { $0.end == nil }
    return waiting.count { $0.sent.identity == sent.identity } < settings.maxStoredMessages - waiting.count
  }

  private func hasRoomForDead(_ sent: Sent) -> Bool {
    let dead = store.rows.values.filter { $0.isDead && $0.message.chain == Array(sent.chain.utf8) }
    let owners = dead.map { String(decoding: $0.message.identity, as: UTF8.self) }
    return hasRoom(owners, sent.identity, most: settings.maxDeadLetters)
  }

  private func hasRoomForName(_ sent: Sent) -> Bool {
    let owners = store.remembered.map { nameOfRow[$0].flatMap { messages[$0]?.sent.identity } ?? "" }
    return hasRoom(owners, sent.identity, most: settings.maxRemembered)
  }

  /// A message is taken in.
  func checkRoom(for sent: Sent, bytes: Int, _ name: String) {
    check(hasRoom(for: sent), "limits of messages", name)
    // The keeper counts what is not on disk yet, too.
    guard untold.count <= 1 else { return }
    check(hasRoomForDead(sent), "limits of dead letters", name)
    check(sent.once == nil || hasRoomForName(sent), "limits of names", name)
    let own = store.rows.values.filter { $0.message.identity == Array(sent.identity.utf8) }
    let ownBytes = own.reduce(0) { $0 + $1.message.byteCount + ($1.result?.count ?? 0) }
    check(ownBytes + bytes <= settings.maxStoredBytes - store.byteCount, "limits of bytes", name)
  }

  /// A message is not taken in.
  func checkFull(_ request: Request, _ line: SaidLine) {
    // The keeper counts what has left, until it hears of that; and a dead letter until it has read the result that is asked.
    let isReading = requests.contains { !$0.isOver && $0.accepted.flatMap { messages[$0]?.endOnDisk } == .dead }
    guard untold.isEmpty, isGivenAll, !isReading, let sent = sent[request.mark] else { return }
    let words = line.text("message") ?? ""
    var hasRoom = 2 * store.byteCount + 1000 < settings.maxStoredBytes
    if words.contains("max_stored_messages") { hasRoom = self.hasRoom(for: sent) }
    if words.contains("max_dead_letters") { hasRoom = hasRoomForDead(sent) }
    if words.contains("max_remembered") { hasRoom = hasRoomForName(sent) }
    check(!hasRoom, "what has room is taken in", line.spelled)
  }

  /// What is kept beyond the limit is short.
  func checkBytes() {
    let short = 400 * (store.rows.count + store.remembered.count)
    check(store.byteCount <= settings.maxStoredBytes + short, "results have room", "\(store.byteCount) bytes")
  }

  /// While nothing is on its way, what the server counts is what is on disk.
  func checkFigures(_ figures: DurableFigures) {
    guard untold.isEmpty, isGivenAll, store.heldCount == 0 else { return }
    check(figures.bytes == store.byteCount, "bytes are counted", "\(figures.bytes), \(store.byteCount) on disk")
    // A dead letter whose last result is still to be read waits.
    let (count, dead) = (figures.messages + figures.dead, store.rows.values.count { $0.isDead })
    check(
      count == store.rows.count && figures.dead <= dead, "messages are counted",
      "\(count), \(figures.dead) of them dead; \(store.rows.count), \(dead) on disk")
    let names = store.remembered.count
    check(figures.remembered == names, "names are counted", "\(figures.remembered), \(names) on disk")
    reach("at rest")
  }

  /// A try begins: fewer are open than the links of the chain take at once.
  func checkWindow(_ chain: String, _ name: String) {
    // What has changed since the last step, the keeper may know, or not yet.
    let isChanging = requests.contains {
      ($0.kind == .insert || $0.kind == .remove) && !$0.isOver && !$0.isExcused && $0.place?.chain == chain
    }
    guard !isChanging, lossStep < step, fileStep < step, isGivenAll, let window = window(of: chain) else { return }
    let open = alive.count {
      messages[$0].map { $0.isOpen && $0.tryEndedAt == nil && $0.sent.chain == chain } ?? false
    }
    check(open < window, "paced by windows", "\(name): \(open) of \(window)")
    if window < 3 { reach("window") }
  }

  /// As many as the least of the served links for each topic; without such a link, as the others together.
  private func window(of chain: String) -> Int? {
    guard let links = file.chains.first(where: { $0.chain == chain })?.links else { return nil }
    var (least, sum) = (Int.max, 0)
    for link in links where !link.isShadow && !link.isMount {
      let place = Place(chain: chain, name: link.name)
      let each = link.window ?? windows[place] ?? settings.window
      guard let count = servers[place]?.count, count > 0 else { continue }
      if link.accepts.contains(">") { least = min(least, count * each) } else { sum += count * each }
    }
    return least < .max ? least : sum > 0 ? sum : settings.window
  }
}
