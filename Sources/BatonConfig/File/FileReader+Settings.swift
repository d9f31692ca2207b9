internal import BatonCore

/// Reads `settings`: the names and ranges of the settings' table.
extension FileReader {
  mutating func readSettings(_ node: Node) {
    for member in members(of: node, "settings") {
      var trial = Settings()
      guard Settings.table.contains(where: { $0.name == member.key }) else {
        let nearest = mistakes.isFull ? nil : meantName(member.key, among: Settings.table.map(\.name))
        wrong(member.place, "\(SettingError.unknown(quotable(member.key), nearest: nearest))")
        continue
      }
      guard let value = number(member.value, member.key) else { continue }
      do throws(SettingError) {
        try trial.set(member.key, to: value)
        file.settings[member.key] = Sourced(value, from: origin(member.value.place))
      } catch {
        wrong(member.value.place, "\(error)")
      }
    }
  }

  /// A key that may stand in a message.
  private func quotable(_ key: String) -> String { String(quoted(key).dropFirst().dropLast()) }
}
