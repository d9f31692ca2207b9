internal import BatonCore
internal import BatonRecord

/// Reads `record`: what is written of each message that ends.
extension FileReader {
  static let recordKeys = [
    "directory", "chains", "topics", "payload", "mask", "strict", "sync", "sign", "head_ms", "file_bytes", "keep_bytes",
    "keep_days", "keep_contents_days",
  ]
  /// What people write for keys, beside typing errors.
  private static let recordSynonyms = [
    "dir": "directory", "path": "directory", "folder": "directory", "masks": "mask", "redact": "mask", "hide": "mask",
    "key": "sign", "fsync": "sync", "payloads": "payload", "max_bytes": "keep_bytes", "days": "keep_days",
    "retention": "keep_days", "chain": "chains", "topic": "topics",
  ]
  /// The numbers, each with its range.
  private static let recordNumbers: [String: ClosedRange<Int>] = [
    "head_ms": 100...86_400_000, "file_bytes": 4096...1_099_511_627_776, "keep_bytes": 0...1_125_899_906_842_624,
    "keep_days": 0...36_500, "keep_contents_days": 0...36_500,
  ]

  mutating func readRecord(_ member: Node.Member) {
    let members = members(
      of: member.value, "record", keys: FileReader.recordKeys, synonyms: FileReader.recordSynonyms)
    guard case .map = member.value.content else { return }
    guard let directory = members.first(where: { $0.key == "directory" }) else {
      return wrong(member.value.place, "record needs directory, as in { directory: /var/lib/baton/record }")
    }
    var entry = RecordEntry(directory: path(directory))
    for member in members { read(member, into: &entry) }
    file.record = entry
  }

  private mutating func read(_ member: Node.Member, into entry: inout RecordEntry) {
    var shown: ShownValue.Value?
    switch member.key {
    case "directory": shown = .text(entry.directory.value)
    case "chains":
      let names = recordTexts(member, "a chain", BatonCore.complaint(name:))
      entry.rule.chains = names.map { Array($0.utf8) }
      shown = .text(names.joined(separator: ", "))
    case "topics":
      let patterns = recordTexts(member, "the pattern", BatonCore.complaint(pattern:))
      entry.rule.topics = patterns == [">"] ? nil : patterns.map { Array($0.utf8) }
      shown = .text(patterns.joined(separator: ", "))
    case "payload":
      guard let text = text(member.value, "payload") else { return }
      guard let payload = RecordOptions.Payload(rawValue: text) else {
        return wrong(member.value.place, "payload is none, digest or whole, not \(quoted(text))")
      }
      entry.options.payload = payload
      entry.rule.takesPayloads = payload != .none
      shown = .text(text)
    case "mask":
      let masks = recordTexts(member, "the mask") { text in
        if case .failure(let error) = PayloadMask.read(text) { error.description } else { nil }
      }
      entry.options.masks = masks.compactMap { try? PayloadMask.read($0).get() }
      shown = .text(masks.joined(separator: ", "))
    case "strict", "sync":
      guard let flag = flag(member.value, member.key) else { return }
      if member.key == "strict" { entry.rule.isStrict = flag } else { entry.options.syncs = flag }
      shown = .flag(flag)
    case "sign":
      let key = path(member)
      entry.options.keyPath = key.value
      entry.keyOrigin = key.origin
      shown = .text(key.value)
    default: shown = recordNumber(member, into: &entry).map { .number($0) }
    }
    guard let shown else { return }
    entry.shown.append(
      ShownValue(
        name: "record.\(member.key)", value: shown, origin: origin(member.value.place),
        needsStart: member.key == "directory"))
  }

  /// The texts of a list, of which none is wrong.
  private mutating func recordTexts(
    _ member: Node.Member, _ what: String, _ complaint: (String) -> String?
  ) -> [String] {
    var texts: [String] = []
    for node in elements(of: member.value, member.key) ?? [] {
      guard texts.count < 1000 else {
        wrong(node.place, "\(member.key) has more than 1000 entries; write fewer")
        break
      }
      guard let text = text(node, "an entry of \(member.key)") else { continue }
      if let complaint = complaint(text) {
        wrong(node.place, "\(what) \(quoted(text)) \(complaint)")
      } else {
        texts.append(text)
      }
    }
    return texts
  }

  private mutating func recordNumber(_ member: Node.Member, into entry: inout RecordEntry) -> Int? {
    guard let number = number(member.value, member.key), let range = FileReader.recordNumbers[member.key] else {
      return nil
    }
    guard range.contains(number) else {
      wrong(member.value.place, "\(member.key) must be from \(range.lowerBound) to \(range.upperBound), not \(number)")
      return nil
    }
    switch member.key {
    case "head_ms": entry.options.headMilliseconds = number
    case "file_bytes": entry.options.fileBytes = number
    case "keep_bytes": entry.options.keepBytes = number
    case "keep_days": entry.options.keepDays = number
    default: entry.options.keepContentsDays = number
    }
    return number
  }
}
