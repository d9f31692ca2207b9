import ArgumentParser
import BatonClient

/// How a chain is asked about a tool.
struct HookOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server: HOST:PORT, tls:HOST:PORT or unix:/PATH; several have commas between.", valueName: "address"))
  var server: String

  @Option(help: ArgumentHelp("The file with the token of this guard, by its whole path.", valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "The authorities that count for the server's certificate (PEM), by its whole path.", valueName: "file"))
  var tlsCa: String?

  @Option(help: "The chain that is asked.", completion: Completing.chain, transform: SaidWords.name)
  var chain = "tools"

  @Option(
    name: .customLong("wait"),
    help: ArgumentHelp("How long the chain may take: seconds, or 500ms, 5m, 8h. (default: 50s)", valueName: "time"),
    transform: SpokenTime.allowance)
  var given: Int?

  @Option(help: ArgumentHelp("The links whose word is a yes, with commas between.", valueName: "names"))
  var permit = "policy,permit"

  @Flag(help: "After a yes of the chain, the agent does not ask its user.")
  var allow = false

  @Flag(
    help: ArgumentHelp(
      "Exit codes are 80 higher: the command in an entry takes no other ones for an answer.", visibility: .hidden))
  var inEntry = false

  /// How long the chain may take, in milliseconds.
  var wait: Int { given ?? 50_000 }

  /// The addresses, one of which is the server's.
  var places: [String] { server.split(separator: ",").map(String.init) }

  /// The links whose word is a yes.
  var permitting: [String] { permit.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }

  func validate() throws {
    if let trouble = Baton(at: server).troubleWithPlace { throw ValidationError("--server: \(trouble)") }
    for place in places where place.hasPrefix("unix:") && !place.hasPrefix("unix:/") && !place.hasPrefix("unix:@") {
      throw ValidationError("--server: write the whole path of the socket, such as unix:/run/baton.sock")
    }
    for (option, path) in [("--token-file", tokenFile), ("--tls-ca", tlsCa)] {
      if let path, !path.hasPrefix("/") { throw ValidationError("\(option): write the whole path, from / on") }
    }
    for name in permitting { _ = try SaidWords.name(name) }
  }

  /// What is wrong with them for this agent; nil if nothing is.
  func complaint(for agent: HookAgent) -> String? {
    allow && agent.yesUnasked == nil ? "\(agent.name) knows no yes after which it does not ask; leave out --allow" : nil
  }

  /// The words of the command line that say the same.
  var words: [String] {
    var words = ["--server", server]
    if let tokenFile { words += ["--token-file", tokenFile] }
    if let tlsCa { words += ["--tls-ca", tlsCa] }
    if chain != "tools" { words += ["--chain", chain] }
    words += ["--wait", wait % 1000 == 0 ? "\(wait / 1000)s" : "\(wait)ms"]
    if permit != "policy,permit" { words += ["--permit", permit] }
    if allow { words.append("--allow") }
    return words
  }

  /// The time as a sentence has it.
  var time: String { wait % 1000 == 0 ? "\(wait / 1000) s" : "\(wait) ms" }
}
