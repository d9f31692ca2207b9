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
    let weakness = options.places.compactMap(HookPlace.weakness).map { HookPoint(sign: .unseen, words: $0) }
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
    let found = agent.switches.flatMap { off in
      places(of: off.place).compactMap { isOff(off, in: $0) ? "\($0): \(off.words)" : nil }
    }
    if found.isEmpty {
      return agent.switches.isEmpty ? [] : [good("no file that is seen from here switches hooks off")]
    }
    return found.map { bad("\($0), so no hook is asked") }
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

  private func isOff(_ off: HookSwitch, in path: String) -> Bool {
    guard let bytes = (try? SettingsFile(path))?.bytes else { return false }
    switch off.sign {
    case .line(let line):
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains {
        $0.filter { !$0.isWhitespace }.hasPrefix(line)
      }
    case .flag(let way, let value): return (try? JSONTree(bytes))?.at(way)?.flag == value
    case .list(let way): return (try? JSONTree(bytes))?.at(way)?.elements?.isEmpty == false
    }
  }
}
