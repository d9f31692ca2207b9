import BatonCore
import WorldKit

/// How the hour ends: all is carried to its end, the last peer clears away what belongs to nobody, and nothing is left.
extension Churn {
  func end() {
    settleDown()
    for peer in peers where !peer.waitsFor.isEmpty && peer.isEager && !peer.isSilent {
      let ids = peer.waitsFor.keys.sorted().prefix(3)
      fail(.oneReply, "all is quiet, and \(peer.waitsFor.count) requests have no reply: \(Array(ids))")
    }
    while !peers.isEmpty, violation == nil { close(peers.count - 1) }
    clearAway()
    while !peers.isEmpty, violation == nil { close(peers.count - 1) }
    guard violation == nil else { return }
    let left = router.census.filter { $0.count != 0 }.map { "\($0.count) \($0.name)" }
    if !left.isEmpty { fail(.nothingLeft, "left behind: \(left.joined(separator: ", "))") }
    if let due = router.wakeAt { fail(.nothingLeft, "a wake-up at \(due.microseconds) µs is left") }
    checkTables()
    checkMemory()
  }

  /// Nobody asks for more, until every message has ended, for none may take longer than this.
  private func settleDown() {
    for _ in 0..<1000 where violation == nil {
      pass(milliseconds: 10)
      for seat in peers.indices.reversed() where seat < peers.count && !peers[seat].isEager { read(seat) }
    }
  }

  /// Required places and mounts belong to nobody: somebody has to take them out.
  private func clearAway() {
    open(isEager: true)
    guard let seat = peers.indices.last, violation == nil else { return }
    sweeper = peers[seat].id
    for _ in 0..<20 where violation == nil {
      found = []
      say(maker.make("inspect", "", isAsked: true, using: &luck), sweeper: seat)
      if found.isEmpty { return }
      for line in found {
        let members = ",\"chain\":\"\(line.chain)\",\"\(line.isMount ? "on" : "handler")\":\"\(line.name)\""
        say(maker.make(line.isMount ? "unmount" : "remove", members, isAsked: true, using: &luck), sweeper: seat)
      }
    }
    fail(.nothingLeft, "\(found.count) links are there after all was taken out")
  }

  private func say(_ line: ChurnLines.Line, sweeper seat: Int) {
    peers[seat].asked(line, at: now)
    say(line.bytes, seat)
  }

  /// Notes what the sweeper sees.
  func sweep(_ line: ServerLine) {
    for chain in line.value(.chains)?.elements ?? [] {
      for link in chain["links"]?.elements ?? [] {
        guard let chain = chain["chain"]?.text, let name = link["handler"]?.text ?? link["mount"]?.text else {
          continue
        }
        found.append((chain, name, link["mount"] != nil))
      }
    }
  }

  /// The peak of the process hardly rises after the first fifth: a leak of all that comes and goes would show.
  private func checkMemory() {
    let peak = Memory.peakBytes
    if peak > earlyMemory + earlyMemory / 2 + 16 << 20 {
      fail(.nothingLeft, "\(earlyMemory) bytes were taken after a fifth of the time, and \(peak) at the end")
    }
  }

  /// Tables keep their places, and must not have more than their fullest moment needed; a call may need some more in
  /// its middle than at its end.
  private func checkTables() {
    for (name, places) in router.extents {
      let peak = peaks[name] ?? 0
      if places > peak + peak / 2 + 64 {
        fail(.nothingLeft, "\(places) places for \(name), of which \(peak) were taken")
      }
    }
  }
}
