internal import BatonCore
internal import BatonRecord

/// Looks at what the file says of the record.
extension Configuration.Assembly {
  mutating func checkRecord() {
    guard let record else { return }
    let declared = Set(chains.map(\.name))
    for name in record.rule.chains ?? [] {
      let name = String(decoding: name, as: UTF8.self)
      guard !declared.contains(name), !declared.isEmpty,
        let shown = record.shown.first(where: { $0.name == "record.chains" })
      else { continue }
      warn(shown.origin, "the file declares no chain \(quoted(name)), so perhaps nothing of it is recorded")
    }
    if record.options.payload == .none, let shown = record.shown.first(where: { $0.name == "record.mask" }) {
      warn(shown.origin, "with payload: none no payload and no meta is kept, so mask means nothing")
    }
    if record.options.keepBytes > 0, record.options.keepBytes < 2 * record.options.fileBytes,
      let shown = record.shown.first(where: { $0.name == "record.keep_bytes" })
    {
      warn(shown.origin, "less than two files of file_bytes are kept; make file_bytes smaller, or this one larger")
    }
  }

  /// What this machine has of it: the folder, its owner, who may look into it, its free room, and the key.
  mutating func checkRecordPlace(_ missing: (inout Self, Origin, String) -> Void) {
    guard let record else { return }
    let folder = RecordFolder(record.directory.value)
    if let complaint = folder.complaint() {
      missing(&self, record.directory.origin, complaint)
    } else if let free = folder.freeBytes(), free < record.options.fileBytes {
      warn(
        record.directory.origin,
        "the disk of \(record.directory.value) has \(free) bytes free, less than one file of the record (file_bytes)")
    }
    do throws(ConfigMistakes) {
      _ = try record.key()
    } catch {
      for mistake in error.all { missing(&self, mistake.origin, mistake.message) }
    }
  }
}

extension ConfigurationFile {
  /// What is recorded, with this file's digest, and what the record tells of its settings.
  var recordEntry: RecordEntry? {
    guard var entry = record else { return nil }
    entry.options.file = digest
    let members = entry.shown.filter { !["record.sign", RecordEntry.folder].contains($0.name) }.map { shown in
      let name = shown.name.dropFirst("record.".count)
      return switch shown.value {
      case .number, .flag: "\"\(name)\":\(shown.value)"
      case .text(let text): "\"\(name)\":\(asciiQuoted(text))"
      }
    }
    entry.options.shown = "{\(members.joined(separator: ","))}"
    return entry
  }

  private func asciiQuoted(_ text: String) -> String {
    var quoted = "\""
    for unit in text.utf16 {
      if 0x20..<0x7F ~= unit, unit != 0x22, unit != 0x5C {
        quoted.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: unit)))
      } else {
        let digits = String(unit, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return quoted + "\""
  }
}
