import ArgumentParser

/// Where a server keeps what must survive a crash.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      """
      The file in which durable messages are kept. It is made if it is not there; its folder must be. Without it there \
      are no durable messages.
      """, valueName: "file"))
  var path: String?
}
