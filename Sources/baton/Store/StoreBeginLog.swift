import ArgumentParser
import BatonStore

/// `baton store begin-log`: a person decides from which file a cluster's log begins.
struct StoreBeginLog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "begin-log",
    abstract: "Let the log of a cluster begin with this store. No server may run with it.",
    discussion: """
      All nodes are stopped before. Start the node that has this file first: once it leads, its file is what the cluster has, \
      and whatever other files have beside it is lost. Each other node then needs a copy of this file (baton store backup), \
      or an empty store. So a single server becomes a cluster, a backup is put back, and a cluster goes on when NATS has lost \
      the log and nobody leads: choose the file that has come farthest (baton store check tells).

      EXAMPLES:
        baton store begin-log --store /var/lib/baton/store
      """)

  @OptionGroup var file: StoreFileOptions

  func run() throws {
    let path = try file.path()
    // A name that is wrong makes no file.
    _ = try file.open()
    let store = try Store(path: path)
    defer { store.close() }
    try store.beginLog(wall: WallClock.now.milliseconds)
    try put("a log begins with \(path) when its node leads; start this node first".displaySafe)
  }
}
