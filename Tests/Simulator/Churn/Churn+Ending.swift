import BatonCore
import WorldKit

/// How the hour ends: everything under way ends, the last peer removes the links without a connection, and nothing is
/// left.
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
    if let left = driver.leftovers { fail(.nothingLeft, left) }
    checkTables()
    checkMemory()
  }

  /// Peers ask for nothing more until every message has ended. No message may take longer than this time.
  private func settleDown() {
    for _ in 0..<1000 where violation == nil {
      pass(milliseconds: 10)
      for seat in peers.indices.reversed() where seat < peers.count && !peers[seat].isEager { read(seat) }
    }
  }

  /// Required places and mounts stay when all connections have gone. A peer has to remove them.
  private func clearAway() {
    open(isEager: true)
    guard let seat = peers.indices.last, violation == nil else { return }
    sweeper = peers[seat].connection
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
  func sweep(_ line: String) {
    for chain in line.split(separator: #"{"chain":""#).dropFirst() {
      for link in chain.matches(of: /{"(mount|handler)":"([^"]+)"/) {
        found.append((String(chain.prefix { $0 != "\"" }), String(link.2), link.1 == "mount"))
      }
    }
  }

  /// The peak memory of the process hardly rises after the first fifth. A leak of anything that comes and goes would
  /// raise it.
  private func checkMemory() {
    let peak = Memory.peakBytes
    if peak > earlyMemory + earlyMemory / 2 + 16 << 20 {
      fail(.nothingLeft, "\(earlyMemory) bytes were taken after a fifth of the time, and \(peak) at the end")
    }
  }

  /// Tables keep their places. They must not have more places than their fullest moment needed. A call may need a few
  /// more in its middle than at its end.
  private func checkTables() {
    for (name, places) in driver.router.extents {
      let peak = peaks[name] ?? 0
      if places > peak + peak / 2 + 64 {
        fail(.nothingLeft, "\(places) places for \(name), of which \(peak) were taken")
      }
    }
    // Names of links that have left keep theirs, up to a limit.
    let (most, links) = (2 * Settings().maxMetricLinks, peaks["links"] ?? 0)
    if driver.router.placesForMeters > most + links + links / 2 + 64 {
      fail(
        .nothingLeft, "\(driver.router.placesForMeters) places for meters, with \(links) links and \(most) kept names")
    }
  }
}
