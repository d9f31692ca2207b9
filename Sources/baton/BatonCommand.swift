import ArgumentParser
import BatonCore

/// The program: names its subcommands, each of which has its own file.
struct BatonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton",
    abstract: "Passes a message down a chain of handlers until one of them handles it.",
    discussion: """
      Peers connect over TCP, TLS or a Unix socket. Each line is one JSON object. netcat is \
      enough.

      EXAMPLES:
        baton serve
        baton subscribe 'door.*'
        baton send door.open '{"door":3}'
        printf '{"op":"help"}\\n' | nc -N 127.0.0.1 22866

      EXIT CODES:
      \(exitCodes)

      ENVIRONMENT:
        BATON_SERVER      the server to use if --server is not given, or several with commas \
      between them
        BATON_CONTEXT     the name of the server to use (baton context) if --server, --context and \
      BATON_SERVER are not given
        BATON_CONFIG      the file of baton serve and baton config if --config is not given
        BATON_TOKEN       the token that says who you are; for baton serve the one token that \
      everybody must show
        BATON_TOKEN_FILE  the same, in a file
        BATON_TLS_CA      the authorities of servers at tls:HOST:PORT if --tls-ca is not given
        NO_COLOR          any value turns colours off
      """,
    version: Settings.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Server",
        subcommands: [
          Serve.self, ConfigCommand.self, Expect.self, When.self, TokenCommand.self, Whoami.self, Reload.self,
          Doctor.self, Healthcheck.self, Nodes.self, StoreCommand.self, RecordCommand.self, SchemaCommand.self,
          Bench.self,
        ]),
      CommandGroup(
        name: "Messages",
        subcommands: [
          Send.self, HandleCommand.self, Ask.self, Approvals.self, HookCommand.self, PolicyCommand.self, Broadcast.self,
          Subscribe.self,
        ]),
      CommandGroup(
        name: "Chains",
        subcommands: [
          Chains.self, ChangesCommand.self, Explain.self, Mount.self, Unmount.self, Move.self, Remove.self,
        ]),
      CommandGroup(
        name: "Seeing why",
        subcommands: [
          Walks.self, Replay.self, DeadCommand.self, Stored.self, Stuck.self, Trace.self, Otlp.self, Top.self,
          Connections.self,
          Close.self,
        ]),
      CommandGroup(name: "Shell", subcommands: [ContextCommand.self, Completions.self, Man.self]),
    ])

  private static var exitCodes: String {
    ExitCode.table.map { code, meaning in
      let code = "\(code)"
      return "  " + code + String(repeating: " ", count: 4 - code.count) + meaning
    }.joined(separator: "\n")
  }
}
