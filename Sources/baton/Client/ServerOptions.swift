import ArgumentParser
import BatonClient
import BatonCore
import Synchronization

/// Which server a subcommand talks to, and in which form it prints its output.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The server: HOST:PORT, tls:HOST:PORT or unix:PATH; several have commas between them, and one that can be reached is \
      taken. (default: BATON_SERVER, or 127.0.0.1:22866)
      """,
      valueName: "address"))
  var server: String?

  @Option(
    help: ArgumentHelp(
      "The server's name in baton context. (default: BATON_CONTEXT, or the one in use)", valueName: "name"),
    completion: Completing.context, transform: Context.checked)
  var context: String?

  @Option(
    help: ArgumentHelp(
      "The file with the token that says who you are, unless BATON_TOKEN has it. (default: BATON_TOKEN_FILE)",
      valueName: "file"))
  var tokenFile: String?

  @Flag(help: "Send the token over plain TCP to another machine, too; something else encrypts the way.")
  var plainToken = false

  @OptionGroup
  var encryption: EncryptionOptions

  @Flag(help: "Print the server's lines: one JSON value per line.")
  var json = false

  /// What is wrong with the file of contexts is told before anything is done.
  func validate() throws {
    do throws(ContextTrouble) {
      _ = try ContextChoice.find(named: context, server: server)
    } catch {
      // A shell that completes shows what is said in the middle of what is typed.
      if !Completing.isAsked {
        for line in json ? [error.lines.joined(separator: "; ")] : error.lines { try complain("usage", line) }
      }
      throw ExitCode.validationFailure
    }
  }

  /// The context that counts; nil if none does. `validate` has told what is wrong.
  var chosen: Context? { try? ContextChoice.find(named: context, server: server) }

  /// The place of the server, or several with commas between them.
  var place: String { Baton(at: server ?? chosen?.server).place }

  /// The same for people, with the name that it has for them.
  var namedPlace: String { named(place) }

  /// One of the places for people.
  func named(_ place: String) -> String { chosen.map { "\(place) (context \($0.name))" } ?? place }

  /// The file of the authorities that count for the server's certificate, if this program was told one.
  var authorities: String? { encryption.authorities(chosen) }

  /// The client, with a name that other peers see.
  func baton(named name: String) -> Baton {
    let baton = encryption.adding(to: Baton(at: place), chosen).named(name)
      .plainToken(plainToken || chosen?.plainToken ?? false)
    let file = tokenFile ?? (Environment["BATON_TOKEN_FILE"] == nil ? chosen?.tokenFile : nil)
    return file.map(baton.tokenFile) ?? baton
  }

  /// Connects, does the work, and closes. An error is printed to standard error and ends the program with the exit code
  /// that is documented for it. With `lasting` the work outlives connections, and people are told of those that are lost,
  /// and made again. A server that shuts down at the beginning is like a loss.
  func withClient(
    named name: String = "cli", lasting: Bool = false, _ body: (Client) async throws -> Void
  ) async throws {
    try await telling {
      // A server that takes the connection and then says nothing is given up after four of these: somebody waits.
      let plan = baton(named: name).heartbeat(.milliseconds(2500))
      let client = try await (lasting ? plan.reporting(Self.lossReporter()).outlastingDraining() : plan).connect()
      do {
        try await body(client)
        await client.close()
      } catch {
        await client.close()
        throw error
      }
    }
  }

  /// Tells of each loss once, and when the connection is there again.
  private static func lossReporter() -> @Sendable (String) -> Void {
    let isLost = Atomic(false)
    return { news in
      let isThere = news.hasPrefix("connected to")
      if isLost.exchange(!isThere, ordering: .relaxed) == isThere { talk("baton: \(news)") }
    }
  }

  /// Does the work; errors of the client become a line for people and an exit code.
  func telling(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as BatonError {
      try complain(error.code, words(for: error))
      throw error.exitCode
    }
  }

  /// Tells what went wrong: a person on standard error, a program that wants JSON in a line of the server's form.
  func complain(_ code: String, _ message: String, _ hint: String? = nil) throws {
    if json { return try put(ErrorLine.bytes(code, message + (hint.map { "; \($0)" } ?? ""))) }
    talk("baton: \(message)")
    if let hint { talk(hint) }
  }

  private func words(for error: BatonError) -> String {
    if case .refused(let code, var message) = error {
      if code == "bad_member", message.hasPrefix("\"token\" is not supported") {
        message = "this server has no tokens; leave out BATON_TOKEN, BATON_TOKEN_FILE and --token-file"
      }
      // Nobody has written this line but the program.
      if ["bad_member", "bad_json", "too_deep"].contains(code) {
        message = message.replacing(/,? at byte \d+/, with: "")
      }
      if code.hasPrefix("auth_"), let chosen { message += ", of context \(chosen.name)" }
      // The code has a member of its own in JSON.
      return json ? message : "\(message) (\(code))"
    }
    guard case .unreachable(let why) = error else { return error.description }
    if error.faultOfEncryption != nil { return "\(namedPlace): \(why)" }
    let next =
      chosen == nil
      ? "start one with baton serve, or give its place with --server" : "baton context list shows others"
    return "no server can be reached at \(namedPlace): \(why); \(next)"
  }

  /// The form of the program's output.
  var form: OutputForm { json ? .json : Terminal.isOutput ? .people : .program }
}

/// The form of the output.
enum OutputForm {
  /// The server's lines: one JSON value per line.
  case json
  /// For people, on a terminal.
  case people
  /// For programs: lines that stay as they are, with tabs between their fields.
  case program
}

/// An error as the server would write it.
enum ErrorLine {
  static func bytes(_ code: String, _ message: String) -> [UInt8] {
    Array(#"{"op":"error","code":\#(Payload(text: code)),"message":\#(Payload(text: message.tokenSafe))}"#.utf8)
  }
}
