import ArgumentParser

/// A change of a file of settings, which is shown before it is made.
struct HookChange {
  let path: String
  let agent: HookAgent
  let isAgreed: Bool

  /// So often it begins anew if another program writes the file at the same time.
  private static let tries = 5

  /// Makes a change of the text. Where the file cannot be changed, the entry is printed to be put in by hand.
  func make(_ change: (SettingsText) -> [UInt8], byHand entry: () -> String) throws {
    do {
      try attempt { file in
        let old = try SettingsText(file.bytes ?? [], agent)
        return .write(change(old))
      }
    } catch let fault as SettingsText.Fault {
      talk("baton: \(path) was not changed: \(fault.words); put this into \"\(agent.event)\" of its \"hooks\" by hand:")
      try put(entry())
      throw ExitCode.failure
    }
  }

  /// Takes the entry out: the old bytes come back if nothing else has changed since.
  func undo() throws {
    do {
      try attempt { file in
        guard let bytes = file.bytes else { throw hookTrouble("\(path) is not there") }
        let text = try SettingsText(bytes, agent)
        guard let mine = text.own.first else { throw hookTrouble("\(path) has no entry of baton hook") }
        let entry = text.text(of: mine.entry)
        for old in file.old {
          if let before = try? SettingsText(old.bytes, agent), before.own.isEmpty, before.with(entry) == bytes {
            return .write(old.bytes)
          }
        }
        return bytes == SettingsText.fresh(entry, agent) ? .takeAway : .write(text.without())
      }
    } catch let fault as SettingsText.Fault {
      throw hookTrouble("\(path) was not changed: \(fault.words)")
    }
  }

  private enum Act: Equatable {
    case write([UInt8])
    case takeAway
  }

  private func attempt(_ plan: (SettingsFile) throws -> Act) throws {
    var shown: Act?
    do {
      for _ in 0..<HookChange.tries {
        let file = try SettingsFile(path)
        let act = try plan(file)
        let new: [UInt8]? = if case .write(let bytes) = act { bytes } else { nil }
        if new == file.bytes { return talk("baton: \(file.target) is as it should be; nothing was written") }
        if shown != act { try show(file, new) }
        shown = act
        guard try new.map({ try file.replace(with: $0) }) ?? file.remove() else { continue }
        return talk("baton: \(file.target) was \(new == nil ? "taken away" : "written")")
      }
    } catch let fault as SettingsFile.Fault {
      throw hookTrouble(fault.words)
    }
    throw hookTrouble("\(path) is changed by another program again and again; nothing was written")
  }

  /// Shows the difference, and asks.
  private func show(_ file: SettingsFile, _ new: [UInt8]?) throws {
    let (old, next) = (file.bytes ?? [], new ?? [])
    let before = zip(old, next).prefix { $0 == $1 }.count
    let behind = zip(old[before...].reversed(), next[before...].reversed()).prefix { $0 == $1 }.count
    talk("\(file.target), from byte \(before) on:")
    for (sign, text) in [("-", old[before..<(old.count - behind)]), ("+", next[before..<(next.count - behind)])]
    where !text.isEmpty {
      for line in String(decoding: text, as: UTF8.self).split(separator: "\n") { talk("\(sign) \(line)") }
    }
    if isAgreed { return }
    guard Terminal.isInput, Terminal.isTalk else {
      throw hookTrouble("nothing was written: nobody can be asked here; --yes writes it")
    }
    talk("Write it? y or n")
    guard readLine()?.lowercased() == "y" else { throw hookTrouble("nothing was written") }
  }
}
