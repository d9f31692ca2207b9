import ArgumentParser
import BatonClient

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// `baton context`: names for servers.
struct ContextCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "context",
    abstract: "Give servers names, and say which one is meant.",
    discussion: """
      A context has the place of a server, the file of a token, and what TLS needs. Commands go to the server of \
      --context, or of BATON_CONTEXT, or to the one in use. Where --server or BATON_SERVER names a place, no \
      context counts; --context wins over BATON_SERVER. The other options and variables win over what a context has.

      The contexts stand in baton/contexts.yaml in XDG_CONFIG_HOME, or in ~/.config. Tokens stay in files of their own.

      EXAMPLES:
        baton context add shop --server tls:shop.example:22867 --token-file my.token
        baton context use shop
        baton chains --context shop
        baton context list
      """,
    subcommands: [ContextAdd.self, ContextList.self, ContextUse.self, ContextShow.self, ContextRemove.self])

  /// Does what reads or changes the file. What is wrong is told, and ends the program with the exit code for a wrong file.
  static func telling<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let trouble as ContextTrouble {
      for line in trouble.lines { talk("baton: \(line)") }
      throw ExitCode.validationFailure
    }
  }

  /// Warns a person who has chosen something of a variable that wins.
  static func warn() {
    if let warning = ContextChoice.warning { talk("baton: \(warning)") }
  }
}

/// `baton context add`: names a server.
struct ContextAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Give a server a name.",
    discussion: """
      Files are kept by their full paths. The first context is in use at once.

      EXAMPLES:
        baton context add local --server unix:/run/baton.sock
        baton context add shop --server tls:shop.example:22867 --tls-ca ca.pem --use
      """)

  @Argument(help: "The name: letters, digits, _ . and -.", transform: Context.checked)
  var name: String

  @Option(
    help: ArgumentHelp(
      "The server: HOST:PORT, tls:HOST:PORT or unix:PATH; several have commas between them.", valueName: "address"))
  var server: String

  @Option(help: ArgumentHelp("The file with the token that says who you are.", valueName: "file"))
  var tokenFile: String?

  @Flag(help: "Send the token over plain TCP to another machine, too; something else encrypts the way.")
  var plainToken = false

  @OptionGroup var encryption: EncryptionOptions

  @Flag(help: "Use it from now on.")
  var use = false

  @Flag(help: "Put it in the place of the context that has this name.")
  var replace = false

  func validate() throws {
    if let trouble = Baton(at: server).troubleWithPlace { throw ValidationError(trouble) }
  }

  func run() throws {
    let context = Context(
      name: name, server: Context.wholePlaces(server, Self.wholePath), tokenFile: tokenFile.map(Self.wholePath),
      plainToken: plainToken,
      ca: encryption.tlsCa.map(Self.wholePath), certificate: encryption.tlsCertificate.map(Self.wholePath),
      key: encryption.tlsKey.map(Self.wholePath), pins: encryption.tlsPin)
    try ContextCommand.telling {
      try ContextFile.change { file in
        if let place = file.contexts.firstIndex(where: { $0.name == name }) {
          guard replace else {
            throw ContextTrouble("there is a context \"\(name)\" already; --replace puts this one in its place")
          }
          file.contexts[place] = context
        } else {
          file.contexts.append(context)
        }
        if use || file.contexts.count == 1 { file.used = name }
      }
    }
    if use { ContextCommand.warn() }
  }

  /// The path as every folder has it.
  private static func wholePath(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return "\(String(cString: folder))/\(path)"
  }
}

/// `baton context use`: says which server is meant where nobody names one.
struct ContextUse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "use",
    abstract: "Say which server is meant where none is named.",
    discussion: """
      EXAMPLES:
        baton context use shop
        baton context use --none
      """)

  @Argument(help: "The name of a context.", completion: Completing.context, transform: Context.checked)
  var name: String?

  @Flag(help: "Use none from now on: 127.0.0.1:22866 is meant again.")
  var none = false

  func validate() throws {
    if none == (name != nil) { throw ValidationError("give the name of a context, or --none") }
  }

  func run() throws {
    try ContextCommand.telling {
      try ContextFile.change { file in
        if let name, file[name] == nil { throw ContextChoice.missing(name, in: file) }
        file.used = name
      }
    }
    ContextCommand.warn()
  }
}

/// `baton context remove`: forgets names.
struct ContextRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Forget a name. The files that it names stay.",
    discussion: """
      EXAMPLES:
        baton context remove shop
      """)

  @Argument(help: "The name of a context.", completion: Completing.context, transform: Context.checked)
  var name: String

  func run() throws {
    var wasUsed = false
    try ContextCommand.telling {
      try ContextFile.change { file in
        guard file[name] != nil else { throw ContextChoice.missing(name, in: file) }
        file.contexts.removeAll { $0.name == name }
        wasUsed = file.used == name
        if wasUsed { file.used = nil }
      }
    }
    if wasUsed { talk("baton: no context is in use now; commands go to the server of this machine") }
  }
}
