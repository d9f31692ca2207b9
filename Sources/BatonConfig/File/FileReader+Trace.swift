internal import BatonCore

/// Reads `trace`: which messages are traced beyond the server.
extension FileReader {
  static let traceKeys = ["sample", "per_second"]
  /// What people write for keys, beside typing errors.
  private static let traceSynonyms = [
    "percent": "sample", "ratio": "sample", "rate": "sample", "probability": "sample", "max": "per_second",
    "limit": "per_second", "persecond": "per_second",
  ]

  mutating func readTrace(_ node: Node) {
    var entry = TraceEntry()
    for member in members(of: node, "trace", keys: FileReader.traceKeys, synonyms: FileReader.traceSynonyms) {
      let isSample = member.key == "sample"
      let range = isSample ? TraceRule.sampleRange : TraceRule.perSecondRange
      guard let number = number(member.value, member.key) else { continue }
      guard range.contains(number) else {
        wrong(
          member.value.place, "\(member.key) must be from \(range.lowerBound) to \(range.upperBound), not \(number)")
        continue
      }
      if isSample { entry.rule.sample = number } else { entry.rule.perSecond = number }
    }
    let place = origin(node.place)
    entry.shown = [
      ShownValue(name: "trace.sample", value: .number(entry.rule.sample), origin: place),
      ShownValue(name: "trace.per_second", value: .number(entry.rule.perSecond), origin: place),
    ]
    file.trace = entry
  }
}
