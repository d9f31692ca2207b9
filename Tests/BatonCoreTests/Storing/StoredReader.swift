import Foundation

@testable import BatonCore

/// A listener that keeps its place over lost connections and restarts, as a library does; and what it must be told.
final class StoredReader {
  let patterns: [String]
  /// The publications that match them.
  private var wanted: [Int] = []
  /// Its connection of this life; nil if it has none.
  var connection: Int?
  /// What it asks with; nil before it has been told.
  private var place: (after: Int, epoch: String)?
  /// The last publication that it has heard, or that was before it came.
  private var heard = -1
  /// Publications before this one may be gone without a number: it was told another epoch.
  private var excused = 0
  /// What it was told is missing since it subscribed last, without what was missing.
  private var toldMissing = 0
  /// The publications that there were when it subscribed last.
  private var begin = 0
  /// What it has heard without a number, because none was to be had: it is not kept, and may be told as missing later.
  private var unnumbered: Set<Int> = []
  private var text: [UInt8] = []

  init(_ patterns: [String]) { self.patterns = patterns }

  /// Something was published.
  func note(_ number: Int, _ topic: String) {
    let isWanted = patterns.contains { pattern in
      Array(topic.utf8).withUnsafeBytes { topic in
        Array(pattern.utf8).withUnsafeBytes { Pattern.matches(topic, pattern: $0) }
      }
    }
    if isWanted { wanted.append(number) }
  }

  /// The line with which it subscribes.
  func subscribe(on connection: Int, published: Int) -> String {
    self.connection = connection
    (toldMissing, text, begin) = (0, [], published)
    let texts = patterns.map { "\"\($0)\"" }.joined(separator: ",")
    guard let place else {
      heard = published - 1
      return #"{"op":"subscribe","topics":[\#(texts)]}"#
    }
    return #"{"op":"subscribe","topics":[\#(texts)],"after":\#(place.after),"epoch":"\#(place.epoch)"}"#
  }

  /// Reads what has come. `isExact`: numbers were never short. Returns what is wrong.
  func read(_ bytes: [UInt8], isExact: Bool, _ plant: StorePlant?) throws -> String? {
    text += bytes
    while let end = text.firstIndex(of: 10) {
      let data = Data(text[..<end])
      text.removeSubrange(...end)
      guard let line = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { return "no object" }
      switch line["op"] as? String {
      case "ok":
        guard let seq = line["seq"] as? Int, let epoch = line["epoch"] as? String else { return "no seq in ok" }
        if place == nil { place = (seq, epoch) }
        if let old = place?.epoch, old != epoch {
          place = (0, epoch)
          (heard, excused) = (-1, begin)
        }
      case "missed":
        if plant == .holeUntold { continue }
        let number = line["count"] as? Int ?? line["at_most"] as? Int
        if number == nil, excused != begin { return "an unknown hole in a known epoch" }
        toldMissing += number ?? 0
      case "event" where (line["topic"] as? String)?.hasPrefix("v.") == false:
        if let wrong = hear(line, isExact: isExact) { return wrong }
        if plant == .eventTwice, let wrong = hear(line, isExact: isExact) { return wrong }
      default: break
      }
    }
    return nil
  }

  private func hear(_ line: [String: Any], isExact: Bool) -> String? {
    guard let number = line["payload"] as? Int else { return "no payload" }
    guard let place else { return "an event before ok" }
    if number <= heard { return "\(number) comes twice, or late, after \(heard)" }
    guard let seq = line["seq"] as? Int else {
      if !unnumbered.insert(number).inserted { return "\(number) comes twice" }
      return isExact ? "no seq of \(number)" : nil
    }
    if seq <= place.after { return "seq \(seq) after \(place.after)" }
    let lost = lost(before: number)
    if isExact ? lost > toldMissing : lost > 0 && toldMissing == 0 {
      return "\(lost) missing between \(heard) and \(number), and \(toldMissing) told"
    }
    if isExact { toldMissing -= lost }
    heard = number
    self.place = (seq, place.epoch)
    return nil
  }

  private func lost(before number: Int) -> Int {
    let first = max(heard + 1, excused)
    guard first < number, let from = wanted.firstIndex(where: { $0 >= first }) else { return 0 }
    return wanted[from...].prefix { $0 < number }.count { !unnumbered.contains($0) }
  }

  /// What is wrong if nothing more comes.
  func complaintAtEnd(isExact: Bool) -> String? {
    let lost = lost(before: .max)
    let isWrong = isExact ? lost > toldMissing : lost > 0 && toldMissing == 0
    return isWrong ? "\(lost) missing at the end, after \(heard)" : nil
  }
}
