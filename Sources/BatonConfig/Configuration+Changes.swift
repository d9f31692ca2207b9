import BatonCore

extension Configuration {
  /// What is different from an older configuration of the same server: what a reload changes, and what needs a new start.
  /// `start` is the configuration with which the server was started: what needs a new start is told until there is one.
  /// Each name is that of `baton config show`.
  public func changes(
    from old: Configuration, startedWith start: Configuration
  ) -> (changed: [String], restart: [String]) {
    var restart: [String] = []
    if listen.map(\.value) != start.listen.map(\.value) { restart.append("listen") }
    restart += Settings.table.filter { $0.needsStart && settings[$0.name]?.value != start.settings[$0.name]?.value }
      .map { "settings.\($0.name)" }
    var changed: [String] = Settings.table
      .filter { !$0.needsStart && settings[$0.name]?.value != old.settings[$0.name]?.value }
      .map { "settings.\($0.name)" }
    let (mine, others) = (entries, old.entries)
    if tls.values != old.tls.values { changed.append("tls") }
    if kind != old.kind { changed.append("access") }
    changed += Set(mine.keys).union(others.keys).sorted().filter { mine[$0] != others[$0] }.map { "peers.\($0)" }
    return (changed, restart)
  }

  /// Who may do what, by name.
  private var entries: [String: AccessRules.Peer] {
    Dictionary(uniqueKeysWithValues: (rules?.peers ?? []).map { ($0.name, $0) })
  }

  private var kind: Int {
    switch access {
    case .trusting: 0
    case .open: 1
    case .token: 2
    case .peers: 3
    }
  }
}
