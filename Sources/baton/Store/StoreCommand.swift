import ArgumentParser
import BatonConfig
import BatonStore

/// `baton store`: what has to do with the file in which a server keeps what must survive a crash.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Check, copy and read the file of baton serve --store.",
    discussion: """
      A server may use the file meanwhile; only compact and begin-log need it alone. The exit code of check, backup and export is 1 if \
      something is damaged.

      EXAMPLES:
        baton store check --store /var/lib/baton/store
        baton store backup /backup/store-$(date +%F) --store /var/lib/baton/store
        baton store export --store /var/lib/baton/store | jq -c 'select(.type == "dead")'
        baton store compact --config /etc/baton.yaml
      """,
    subcommands: [StoreCheck.self, StoreBackup.self, StoreExport.self, StoreCompact.self, StoreBeginLog.self])
}

/// The file that the commands below `baton store` are about.
struct StoreFileOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp("The file of the store. (default: store in the configuration file)", valueName: "file"))
  var named: String?

  @OptionGroup var config: ConfigOptions

  func open() throws -> StoreFile { try StoreFile(path: path()) }

  /// The file's path: that which is named, or that which the configuration file has.
  func path() throws -> String {
    if let named { return named }
    guard let config = try config.path() else {
      throw ValidationError(
        "name the file of the store with --store, or the configuration file with --config or BATON_CONFIG")
    }
    let file = try ConfigOptions.telling { () throws(ConfigMistakes) in try ConfigurationFile.read(at: config) }
    if let store = file.store { return store.value }
    throw ValidationError("\(config) has no store; name the file of the store with --store")
  }
}

/// `baton store check`: says all that is damaged.
struct StoreCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Read all of a store, and say what is damaged.",
    discussion: """
      Each damage is a line. A message whose bytes are damaged becomes a dead letter; the other ones are not touched by \
      that. The exit code is 0 if nothing is damaged, and 1 otherwise.

      EXAMPLES:
        baton store check --store /var/lib/baton/store
      """)

  @OptionGroup var file: StoreFileOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    var damages: [String] = []
    let file = try file.open()
    let counts = try file.check { damage in
      if json { damages.append(damage) } else { try put(damage.displaySafe) }
    }
    // A disk that does not give it has been told of.
    let log = try? file.logPosition()
    if json {
      let list = damages.map { StoreExport.quoted(Array($0.utf8)) }.joined(separator: ",")
      try put(
        json: "{\"messages\":\(counts.messages),\"dead\":\(counts.dead),\"names\":\(counts.names),"
          + "\"values\":\(counts.values),\"events\":\(counts.events),"
          + (log.map { "\"log\":{\"epoch\":\($0.epoch),\"record\":\($0.number)}," } ?? "") + "\"damaged\":[\(list)]}")
    } else {
      try put(
        "\(Self.verdict(counts)): \(counted(counts.messages, "message", "messages")), "
          + "\(counted(counts.dead, "dead letter", "dead letters")), \(counted(counts.names, "name", "names")), "
          + "\(counted(counts.values, "value", "values")), \(counted(counts.events, "event", "events"))"
          + (counts.damaged > 0 ? " can be read" : ""))
      if let log { try put("in the log of a cluster up to record \(log.number) of the leadership \(log.epoch)") }
    }
    guard counts.damaged > 0 else { return }
    if !json { talk("baton: \(Self.advice(counts))") }
    throw ExitCode.failure
  }

  private static func advice(_ counts: StoreFile.Counts) -> String {
    counts.damaged == counts.unreadable
      ? "see that the disk gives all of it, and check again"
      : "a server starts with it if single rows are damaged, and not if the file as a whole is; put back a copy (baton store "
        + "backup makes one), or save what can be read with baton store export"
  }

  private static func verdict(_ counts: StoreFile.Counts) -> String {
    if counts.damaged == 0 { return "ok" }
    return counts.damaged == counts.unreadable ? "not all can be read" : "damaged"
  }
}

/// `baton store backup`: a copy of one moment.
struct StoreBackup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write a copy of a store, while the server runs.",
    discussion: """
      The copy is that of one moment, and all of it is checked. A store whose pages are damaged is not copied. Messages \
      whose bytes are damaged are said on standard error, and make the exit code 1. A server that is started with it goes \
      on from that moment: what came later is not known to it, and what ended later is tried again. Its kept events have \
      another epoch.

      While it is written, it is in a folder TARGET.partial- and eight characters. A kill (-9) leaves that folder: remove \
      it. TARGET is there when it is whole.

      To put a copy back, stop the server, move FILE, FILE-wal and FILE-shm away, and give the copy the name FILE.

      EXAMPLES:
        baton store backup /backup/store-$(date +%F) --store /var/lib/baton/store
      """)

  @Argument(help: "The file of the copy. It is not there yet.")
  var target: String

  @OptionGroup var file: StoreFileOptions

  func run() throws {
    let counts = try file.open().backup(
      to: target, begun: { copy in EndingSignals.before { copy.remove(andThen: $0) } }
    ) { talk("baton: \($0)".displaySafe) }
    if counts.damaged > 0 { throw ExitCode.failure }
  }
}

/// `baton store compact`: gives back what is free in the file.
struct StoreCompact: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Make the file of a store small. No server may run with it.",
    discussion: """
      What has ended leaves room in the file, which is used again. After a flood it can be much. The disk needs room for a \
      second copy meanwhile.

      EXAMPLES:
        baton store compact --store /var/lib/baton/store
      """)

  @OptionGroup var file: StoreFileOptions

  func run() throws {
    let (before, after) = try StoreFile.compact(path: file.path())
    try put("\(before) bytes before, \(after) bytes now")
  }
}
