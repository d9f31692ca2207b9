/// What `baton hook check` looks at, in its order.
struct HookPoints {
  private let agent: HookAgent
  private let path: String

  init(_ agent: HookAgent, _ path: String) { (self.agent, self.path) = (agent, path) }

  var all: [HookPoint] {
    let text: SettingsText
    do {
      let file = try SettingsFile(path)
      guard let bytes = file.bytes else {
        return [bad("\(path) is not there: baton hook install \(agent.form.rawValue)")]
      }
      text = try SettingsText(bytes, agent)
    } catch let fault as SettingsFile.Fault {
      return [bad(fault.words)]
    } catch {
      return [bad("\(path): \((error as? SettingsText.Fault)?.words ?? "\(error)")")]
    }
    guard let mine = text.own.first else {
      return [bad("\(path) has no entry of baton hook: baton hook install \(agent.form.rawValue)")]
    }
    return entered(text, mine.entry, mine.line) + HookTrial(agent, mine.line).points + others(text) + switched()
      + agent.unseen.map { HookPoint(sign: .unseen, words: $0) }
  }

  private func bad(_ words: String) -> HookPoint { HookPoint(sign: .bad, words: words) }
  private func good(_ words: String) -> HookPoint { HookPoint(sign: .good, words: words) }

  /// The entry is there, once, and as it would be written now.
  private func entered(_ text: SettingsText, _ entry: JSONTree, _ line: HookLine) -> [HookPoint] {
    if text.own.count > 1 {
      return [bad("\(path) has \(text.own.count) entries of baton hook; install makes one of them")]
    }
    guard let options = HookEntry.options(of: line) else {
      return [bad("\(path): the options in the entry are wrong; install it anew")]
    }
    let own = HookLine(program: HookLine.ownProgram ?? line.program, form: agent.form, options: options)
    let spelled = [true, false].map { HookEntry.text(own, wait: options.wait, closed: $0, agent) }
    let isAsNow = spelled.contains { now in
      let bytes = Array(now.utf8)
      return (try? JSONTree(bytes)).map { entry.means($0, in: text.bytes, bytes) } ?? false
    }
    if let complaint = line.complaint { return [bad(complaint)] }
    let weak = options.places.compactMap(HookPlace.weakness) + [HookLine.complaint(about: path)].compactMap(\.self)
    let weakness = weak.map { HookPoint(sign: .unseen, words: $0) }
    return weakness + [
      isAsNow
        ? good("\(path) has the entry, once, as install writes it")
        : bad("\(path): the entry is not as install would write it now; install it anew")
    ]
  }

  /// Other hooks for the same event.
  private func others(_ text: SettingsText) -> [HookPoint] {
    let count = text.entries.count - text.own.count
    if count == 0 { return [good("no other hook of this file is asked before tools")] }
    return [
      HookPoint(
        sign: .unseen,
        words:
          "\(count) more in this file are asked before tools; they may change arguments after this one has said yes")
    ]
  }

  // MARK: What switches hooks off

  private func switched() -> [HookPoint] {
    if agent.switches.isEmpty { return [] }
    var found: [HookPoint] = []
    for off in agent.switches {
      for path in places(of: off.place) {
        if let point = point(off, path), !found.contains(point) { found.append(point) }
      }
    }
    return found.isEmpty ? [good("no file that is seen from here switches hooks off")] : found
  }

  private func places(of place: HookSwitch.Place) -> [String] {
    switch place {
    case .user(let name): return (try? SettingsOptions.folder(agent)).map { ["\($0)/\(name)"] } ?? []
    case .project(let name):
      var folders = [SettingsOptions.here]
      while let last = folders.last, last != "/", let slash = last.lastIndex(of: "/") {
        folders.append(slash == last.startIndex ? "/" : String(last[..<slash]))
      }
      return folders.map { ($0 == "/" ? "" : $0) + "/" + name }
    }
  }

  private func point(_ off: HookSwitch, _ path: String) -> HookPoint? {
    let bytes: [UInt8]
    do throws(SettingsFile.Fault) {
      guard let found = try SettingsFile(path).bytes else { return nil }
      bytes = found
    } catch {
      return unread(path, error.words)
    }
    let isOff: Bool
    do throws(JSONTree.Fault) {
      switch off.sign {
      case .toml(let words): isOff = hasLine(words, in: bytes)
      case .flag(let way, let value): isOff = try JSONTree(bytes).at(way)?.flag == value
      case .list(let way): isOff = try JSONTree(bytes).at(way)?.elements?.isEmpty == false
      case .variables(let way):
        guard try JSONTree(bytes).at(way)?.members?.isEmpty == false else { return nil }
        return HookPoint(sign: .unseen, words: "\(path): \(off.words)")
      }
    } catch {
      return unread(path, error.words)
    }
    return isOff ? bad("\(path): \(off.words), so no hook is asked") : nil
  }

  /// The agent may read it in another way: with comments, or with a member that stands twice.
  private func unread(_ path: String, _ words: String) -> HookPoint {
    bad("\(path) may switch hooks off, and is not read here: \(words); make plain JSON of it, or take it away")
  }

  /// Whether a line of TOML says so, whatever table it is in, and under an older name that ends so.
  private func hasLine(_ words: String, in bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
      let plain = line.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
      guard let at = plain.firstRange(of: words)?.lowerBound else { return false }
      return at == plain.startIndex || ".{,_".contains(plain[plain.index(before: at)])
    }
  }
}
