import ArgumentParser
import BatonCore

/// The names of subcommands as they are typed: which command is meant, and what may have been meant.
enum Subcommands {
  /// What other programs call it.
  private static let synonyms = [
    "pub": "broadcast", "publish": "broadcast", "emit": "broadcast", "event": "broadcast", "notify": "broadcast",
    "sub": "subscribe", "listen": "subscribe", "watch": "top", "request": "send", "req": "send", "post": "send",
    "call": "send", "message": "send", "handler": "handle", "insert": "handle", "worker": "handle", "reply": "handle",
    "start": "serve", "run": "serve", "server": "serve", "daemon": "serve", "up": "serve", "ls": "chains",
    "list": "chains", "links": "chains", "status": "top", "stat": "top", "stats": "top", "ps": "stuck", "log": "walks",
    "logs": "walks", "why": "walks", "failed": "walks", "history": "changes", "diff": "config diff",
    "peers": "connections",
    "clients": "connections", "who": "connections", "kill": "close", "disconnect": "close", "rm": "remove",
    "delete": "remove", "del": "remove", "mv": "move", "ping": "healthcheck", "health": "healthcheck",
    "approve": "approvals", "approval": "approvals", "check": "config check", "init": "config init", "test": "expect",
    "version": "--version",
    "completion": "completions", "contexts": "context", "ctx": "context", "profile": "context",
    "manual": "man", "backtest": "replay", "hooks": "hook", "guard": "hook", "rules": "policy", "policies": "policy",
    "opentelemetry": "otlp", "otel": "otlp", "traces": "trace",
    "benchmark": "bench", "id": "whoami",
    // Ops of the contract that have a command of another name.
    "inspect": "chains", "findings": "doctor", "hello": "whoami", "pong": "healthcheck", "cancel": "send",
    "replace": "handle", "handled": "handle", "continue": "handle", "reject": "handle", "working": "handle",
    "unsubscribe": "subscribe", "hand_over": "nodes", "cluster": "nodes", "failover": "nodes", "resend": "dead resend",
    "discard": "dead discard",
  ]

  /// The command that the arguments name, with its words, and the first word that names none; nil if all do.
  private static func find(_ arguments: [String]) -> (
    command: any ParsableCommand.Type, unknown: String?, path: [String]
  ) {
    var command: any ParsableCommand.Type = BatonCommand.self
    var path = ["baton"]
    var rest = arguments[...]
    if rest.first == "help" { rest = rest.dropFirst() }
    while let name = rest.first, !all(of: command).isEmpty {
      if name.hasPrefix("-") { break }
      guard let next = all(of: command).first(where: { self.name(of: $0) == name }) else {
        return (command, name == "help" && command == BatonCommand.self ? nil : name, path)
      }
      command = next
      path.append(name)
      rest = rest.dropFirst()
    }
    return (command, nil, path)
  }

  /// The lines that say that there is no such subcommand, and which one may have been meant; nil if there is.
  static func complaint(about arguments: [String]) -> [String]? {
    let (command, unknown, path) = find(arguments)
    guard let unknown else { return nil }
    let names = all(of: command).map(name)
    let synonym = path.count == 1 ? synonyms[unknown.lowercased()] : nil
    let group = path.joined(separator: " ")
    let meant = synonym ?? nearestName(to: unknown, among: names)
    let hint = meant.map { "; did you mean \"\(group) \($0)\"?" } ?? ""
    return [
      "Error: there is no subcommand \"\(group) \(unknown)\"\(hint)", "  \(group) --help lists the subcommands.",
    ]
  }

  private static func all(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    command.configuration.subcommands
  }

  private static func name(of command: any ParsableCommand.Type) -> String { command._commandName }
}
