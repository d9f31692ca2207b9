import ArgumentParser

/// `baton bench`: names what can be measured; each measurement has its own file.
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure a server: messages per second, latency, CPU time of the server.",
    discussion: """
      The bench starts its own server on a free port and ends it afterwards. With --server it measures a server that \
      already runs.

      EXAMPLES:
        baton bench chain                                  1 handler, 64 in flight
        baton bench chain -k 3 --window 1024 --runs 5      3 handlers, five runs
        baton bench fanout -n 100 --window 1               one broadcast in flight
        baton bench unread                                 peers that never read
        baton bench chain --server-core 0 --load-core 1    each on its own core
      """,
    subcommands: [ChainBench.self, FanoutBench.self, UnreadBench.self])
}
