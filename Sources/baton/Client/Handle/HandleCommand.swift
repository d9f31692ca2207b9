import ArgumentParser
import BatonClient
import UV

/// `baton handle`: makes any program a handler, or answers without one. A `Handle` alone is one of the loop's.
struct HandleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handle",
    abstract: "Make any program a handler.",
    usage: "baton handle <pattern> ... [--name <name>] [<options>] -- <program> [<argument> ...]",
    discussion: """
      For each offer the program is started, with the payload on its standard input: JSON, or with --text the text \
      that a JSON string spells. Its exit code is the verdict:

        0        handled; what it wrote is the payload: JSON as it is, else text
        10       continue; what it wrote, if anything, is the payload for later links
        11       reject; what it said on standard error is the message
        another  failed, as by a signal; what it said last on standard error is why

      Its environment tells BATON_TOPIC, BATON_FROM, BATON_CHAIN, BATON_HANDLER, BATON_WALK, \
      BATON_TIMEOUT_MS and BATON_OP (offer or notice), and where they hold, BATON_KEY, \
      BATON_META, BATON_AGAIN, BATON_SHADOW and BATON_FOR. An offer that nobody waits \
      for any more ends the program and all that it has started: SIGTERM, and after two \
      seconds SIGKILL.

      With --persistent one program serves all: each offer is a line on its standard \
      input, as the server spells it, and each line that it writes is a verdict, such as \
      {"op":"handled","id":1}. When it ends, its open offers fail, and it is started again.

      A connection that is lost is made again, and the handler takes its old place. \
      SIGTERM or SIGINT lets it finish what is open and go; a second one ends it at once.

      EXAMPLES:
        baton handle 'door.*' --name porter -- sh -c 'echo "Come in."'
        baton handle 'post.>' --name spam --at front --timeout 2s -- ./check-spam
        baton handle '>' --name model --persistent --window 16 -- python3 model.py
        baton handle '>' --name night --reject "closed until the morning"
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The topics that it takes; * stands for one word, > for all the rest. Behind -- stand the program and its \
      arguments.
      """, valueName: "pattern"))
  var words: [String] = []

  @Option(help: "The handler's name in the chain. (default: the program's)")
  var name: String?

  @OptionGroup(title: "Link")
  var place: LinkOptions

  @OptionGroup(title: "Program")
  var running: RunningOptions

  @OptionGroup(title: "Answering without a program")
  var answers: AnswerOptions

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func validate() throws {
    guard !patterns.isEmpty else { throw ValidationError("say which topics it takes; '>' is all of them") }
    guard program.isEmpty != answers.isEmpty else {
      throw ValidationError("say either a program, behind --, or one of --reply, --continue and --reject")
    }
    guard answers.isEmpty || running.isEmpty else {
      throw ValidationError("--jobs, --persistent and --text are for a program")
    }
    _ = try handlerName()
    if let path = program.first, !Executable.canBeFound(path) {
      throw ValidationError("there is no program \"\(path)\"")
    }
  }

  /// How many words stand behind `--`: a command has but one list of them.
  private var programLength: Int {
    let all = CommandLine.arguments
    return all.firstIndex(of: "--").map { all.count - $0 - 1 } ?? 0
  }

  private var patterns: [String] { words.dropLast(programLength) }
  private var program: [String] { words.suffix(programLength) }

  /// The name that was said, or the program's, without its ending and with what no name may have as dashes.
  private func handlerName() throws -> String {
    if let name { return name }
    let file = program.first?.split(separator: "/").last ?? ""
    let stem = file.dropFirst().lastIndex(of: ".").map { file[..<$0] } ?? file
    guard !stem.isEmpty else { throw ValidationError("the handler needs a name: --name <name>") }
    let allowed = stem.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) ? $0 : "-" }
    return String(allowed.prefix(64))
  }

  func run() async throws {
    let name = try handlerName()
    let baton = server.baton(named: name).reporting { talk("baton: \($0)") }
    try await server.telling {
      if let verdict = answers.verdict {
        try await baton.handler(link(name), beginning: shown { _ in { verdict } }).run()
      } else if running.persistent {
        try await stay(baton, name)
      } else {
        try await runEach(baton, name)
      }
    }
  }

  private func link(_ name: String, window: Int? = nil) -> Link {
    place.link(name, accepts: patterns, window: window)
  }

  /// A program for each message.
  private func runEach(_ baton: BatonClient.Baton, _ name: String) async throws {
    let count = running.jobs ?? Processor.count
    let jobs = JobLimit(count)
    let handler = ProgramHandler(
      command: program, isText: running.text, environment: try ProgramEnvironment(place: server.place), jobs: jobs,
      thread: try LoopThread())
    let body = shown { message in { try await handler.verdict(on: message) } }
    do {
      try await baton.handler(link(name, window: count), beginning: body).run()
    } catch {
      await jobs.untilIdle()
      throw error
    }
    await jobs.untilIdle()
  }

  /// One program for all of them.
  private func stay(_ baton: BatonClient.Baton, _ name: String) async throws {
    var plan = ChildProcess.Plan(path: program[0], arguments: Array(program.dropFirst()))
    plan.environment = try ProgramEnvironment(place: server.place).variables
    let handler = PersistentHandler(PersistentProgram(name, plan, on: try LoopThread()))
    await handler.start()
    do {
      try await baton.handler(link(name, window: running.jobs), beginning: shown(handler.begin)).run()
    } catch {
      await handler.finish()
      throw error
    }
    await handler.finish()
  }

  /// The same, with each message on standard output where that was asked for, or where there is nothing else to see.
  private func shown(_ body: @escaping BatonClient.Baton.HandlerBody) -> BatonClient.Baton.HandlerBody {
    guard server.json || program.isEmpty else { return body }
    let isJSON = server.json
    return { message in
      say(isJSON ? message.line.json : message.topic + (message.payload.map { "\t\($0.json)" } ?? ""))
      return body(message)
    }
  }
}
