import ArgumentParser

/// `baton bench`: names what can be measured; each measurement has its own file.
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure a server: messages a second, latency, CPU time of the server.",
    discussion: """
      Starts a server of its own on a free port, and ends it afterwards; --server measures one that runs already.

      EXAMPLES:
        baton bench chain                                  1 handler, 64 messages in flight
        baton bench chain -k 3 --window 1024 --runs 5      3 handlers; the median of five runs
        baton bench fanout -n 100 --window 1               one broadcast at a time to 100 subscribers
        baton bench unread                                 beside 0, 1 and 100 peers that never read
        baton bench chain --server-core 0 --load-core 1    each process on a core of its own (Linux)
      """,
    subcommands: [ChainBench.self, FanoutBench.self, UnreadBench.self])
}
