import ArgumentParser

/// Where a server keeps what must survive a crash.
struct StoreOptions: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      """
      The file that keeps durable messages, retained values and kept events. It is made if it is not there; its folder \
      must be. Without it there are no durable messages, and the rest is lost at the end.
      """, valueName: "file"))
  var path: String?
}
