import ArgumentParser
import BatonClient
import BatonCore
import Curl
import Synchronization
import UV

/// `baton handle`: makes any program a handler, or answers without a program. (`Handle` is a type of the event loop.)
struct HandleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "handle",
    abstract: "Make any program a handler.",
    usage: "baton handle <pattern> ... [--name <name>] [<options>] -- <program> [<argument> ...]",
    discussion: """
      The program is started for each offer. It gets the payload on its standard input: as JSON, or with --text as \
      the text of a JSON string. Its exit code is the verdict:

        0        handled; its output is the payload: JSON as it is, else text
        10       continue; its output, if any, is the payload for the next links
        11       reject; its standard error is the message
        another  failed, also by a signal; the last line of standard error says why

      Its environment has BATON_TOPIC, BATON_FROM, BATON_CHAIN, BATON_HANDLER, BATON_WALK, \
      BATON_TIMEOUT_MS and BATON_OP (offer or notice) and, if they apply, BATON_KEY, \
      BATON_META, BATON_AGAIN, BATON_SHADOW, BATON_FOR, BATON_WHEN (unknown: it may not fit the \
      link's condition), BATON_TOGETHER (it is asked at once with others: it lets pass, with exit \
      code 10 and no output, or rejects), and for a durable message BATON_STORED \
      (its name on the server), BATON_TRY and BATON_RESENT. BATON_WITHIN is for what it \
      sends: baton send and baton broadcast take it from there, and from TRACEPARENT the trace, if the       message is in one. Meta of more than 64 KiB is not in \
      BATON_META: the program reads it from the descriptor that BATON_META_FD names (cat <&3). BATON_CONTEXT, \
      BATON_TOKEN and BATON_TOKEN_FILE are kept from it. When an offer lapses, or its \
      connection is lost, the program is ended, and what it has started, unless that has left its \
      process group (setsid): by SIGTERM, and after two seconds by SIGKILL.

      With --persistent one program serves all offers. Each offer is a line on its standard \
      input, as the server writes it, with a number of this command's own as its id. Each line \
      that the program writes is a verdict with that id, such as {"op":"handled","id":1}. It may \
      leave out the id while it has only one offer to answer, if the link never stops messages. A \
      line that is no verdict fails the offer that it names, or the only one. If it may be for \
      several, and when the program ends, its open offers fail, and it is started again.

      With --post there is no program: each offer is posted to a web service, its payload as \
      JSON, and what else there is in headers such as Baton-Topic. The status is the verdict:

        200      handled; the body is the payload: JSON if its type says so, else text. With \
      the header Baton-Verdict: continue it is the payload for the next links
        204      continue
        403 422  reject; the body is the message
        another  failed, also none in time; redirects are not followed

      Docs/webhooks.md has a receiver, and how it finds out that a post is genuine.

      If the connection is lost, the command connects again, and the handler takes its old \
      place. On SIGTERM or SIGINT it finishes the open offers and ends. A second signal ends \
      it at once, with exit code 1: its open offers are lost. If it is killed, its programs are \
      ended in the same way.

      On a terminal it prints where it stands in the chain, and a line for each message: the \
      time, the topic, the payload, the verdict and the answer, and how long it took. With --json \
      it prints the lines of the protocol: each offer, and each verdict.

      By default a handler helps (fail open): while it is away, or if it fails, messages go on. With \
      --guard it guards (fail closed): no message passes it without its verdict.

      EXAMPLES:
        baton handle 'door.*' --name porter -- sh -c 'echo "Come in."'
        baton handle 'post.>' --name spam --guard --timeout 2s -- ./check-spam
        baton handle '>' --name model --persistent --window 16 -- python3 model.py
        baton handle 'order.*' --post https://shop.example/orders --secret-file orders.secret
        baton handle '>' --name night --reject "closed until the morning"
      """)

  @Argument(
    help: ArgumentHelp(
      """
      Patterns of the topics that it handles: * stands for one word, > for all the rest. The program and its \
      arguments follow after --.
      """, valueName: "pattern"), completion: Completing.pattern)
  var words: [String] = []

  @Option(
    help: "The handler's name in the chain. (default: the program's, or the host of --post)",
    completion: Completing.handler,
    transform: SaidWords.name)
  var name: String?

  @OptionGroup(title: "Link")
  var place: LinkOptions

  @OptionGroup(title: "Program")
  var running: RunningOptions

  @OptionGroup(title: "Answering without a program")
  var answers: AnswerOptions

  @OptionGroup(title: "Posting to a web service")
  var posting: PostOptions

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func validate() throws {
    guard !patterns.isEmpty else { throw ValidationError("give the topics that it handles; '>' is all topics") }
    for pattern in patterns {
      if let complaint = complaint(pattern: pattern) {
        throw ValidationError("the pattern \"\(pattern)\" \(complaint)")
      }
    }
    guard [!program.isEmpty, !answers.isEmpty, posting.post != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("give either a program, after --, or one of --reply, --continue, --reject and --post")
    }
    guard !program.isEmpty || running.isEmpty else {
      throw ValidationError("--jobs, --persistent and --text need a program")
    }
    _ = try handlerName()
    if let complaint = program.first.flatMap({ Executable.complaint(about: $0) }) { throw ValidationError(complaint) }
  }

  /// How many words follow `--`: a command has only one list of words.
  private var programLength: Int {
    let all = Arguments.all
    return all.firstIndex(of: "--").map { all.count - $0 - 1 } ?? 0
  }

  private var patterns: [String] { words.dropLast(programLength) }
  private var program: [String] { words.suffix(programLength) }

  /// The given name, or the host of the web service, or the program's name without its extension. Characters that no name may have become dashes.
  private func handlerName() throws -> String {
    if let name { return name }
    if let url = posting.post { return Self.allowed(try posting.host(of: url)) }
    let file = program.first?.split(separator: "/").last ?? ""
    let stem = file.dropFirst().lastIndex(of: ".").map { file[..<$0] } ?? file
    guard !stem.isEmpty else { throw ValidationError("the handler needs a name: --name <name>") }
    return Self.allowed(stem)
  }

  private static func allowed(_ text: some StringProtocol) -> String {
    let allowed = text.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) ? $0 : "-" }
    return String(allowed.prefix(64))
  }

  func run() async throws {
    let name = try handlerName()
    let hasHint = Atomic(false)
    let hasPlace = Atomic(false)
    let isDeclared = Atomic(false)
    let baton = server.baton(named: name).reporting { news in
      talk("baton: \(news)")
      // A server that is started later is found. A place that is wrong never is.
      if news.hasPrefix("connected to") { hasHint.store(true, ordering: .relaxed) }
      if news.hasPrefix("not connected to"), !hasHint.exchange(true, ordering: .relaxed) {
        talk("  it goes on trying; start a server with baton serve, or give its place with --server")
      }
    }
    .placing { taken in
      hasPlace.store(true, ordering: .relaxed)
      let wasDeclared = isDeclared.exchange(taken.isDeclared, ordering: .relaxed)
      if taken.isDeclared, !wasDeclared, !place.place.said.isEmpty {
        talk("baton: \(taken.link.chain)/\(taken.link.name): the configuration file decides its place")
      }
      if Terminal.isTalk { talk("baton: \(taken.words)") }
    }
    // Nothing of it stays, or somebody else serves it.
    .losing { hasPlace.store(false, ordering: .relaxed) }
    defer {
      if hasPlace.load(ordering: .relaxed) { tellPlace(name, isDeclared: isDeclared.load(ordering: .relaxed)) }
    }
    try await telling(name) {
      if let verdict = try answers.verdict() {
        try await run(baton, link(name), shown { _ in { verdict } }) { _ in }
      } else if let url = posting.post {
        try await post(baton, name, to: url)
      } else if running.persistent {
        try await stay(baton, name) { [mayStop = place.mayStop] in mayStop || isDeclared.load(ordering: .relaxed) }
      } else {
        try await runEach(baton, name)
      }
    }
  }

  /// Does the work. Who finds the name taken is told what can be done.
  private func telling(_ name: String, _ body: () async throws -> Void) async throws {
    try await server.telling {
      do { try await body() } catch let error as BatonError where error.code == "name_taken" && !server.json {
        talk("baton: \(error)")
        let chain = place.chain == "main" ? "" : " \(place.chain)"
        talk("  its place, and the other handler ends: --replace")
        talk("  another name, unless the configuration file declares the place: --name \(name)-2")
        talk(
          "  side by side with it, each message to one of them: --share, for both of them, or share: true in that file")
        talk("  who has it: baton chains\(chain), and baton connections")
        throw error.exitCode
      }
    }
  }

  /// What stays on the server when this program has ended.
  private func tellPlace(_ name: String, isDeclared: Bool) {
    guard place.isKept else { return }
    // What the file says of it holds, and not what this command says.
    if isDeclared { return talk("the place of \(name) in \(place.chain) stays: the configuration file declares it") }
    let chain = place.chain == "main" ? "" : " --chain \(place.chain)"
    let how = place.staysForEver ? "messages fail there until it is served again" : "messages wait there meanwhile"
    talk("the place of \(name) in \(place.chain) stays, and \(how); take it out with: baton remove \(name)\(chain)")
  }

  private func link(_ name: String, window: Int? = nil) -> Link {
    place.link(name, accepts: patterns, window: window)
  }

  /// Serves the link to its end. `finish` ends what is under way then, and waits for it unless it is to be at once.
  private func run(
    _ baton: Baton, _ link: Link, _ body: @escaping Baton.HandlerBody, finish: (_ atOnce: Bool) async -> Void
  ) async throws {
    let ending: RunEnding
    do {
      ending = try await baton.handler(link, beginning: body).serve()
    } catch {
      await finish(false)
      throw error
    }
    await finish(ending.isAtOnce)
    let left = counted(ending.open, "offer", "offers")
    if ending.isAtOnce {
      let lost = ending.open > 0 ? " with \(left) open, which the server takes for lost" : ""
      talk("baton: ended by a second signal\(lost)")
      throw ExitCode.failure
    }
    if ending.open > 0 {
      talk("baton: the connection was lost with \(left) open")
      throw ExitCode.unreachable
    }
  }

  /// A program for each message.
  private func runEach(_ baton: Baton, _ name: String) async throws {
    // Three pipes, and perhaps a file with meta.
    let count = JobRoom.jobs(running.jobs ?? Processor.count, "programs", files: 4)
    let jobs = JobLimit(count)
    let thread = try LoopThread()
    let handler = ProgramHandler(
      command: program, isText: running.text,
      environment: try ProgramEnvironment(place: server.place, authorities: server.authorities), jobs: jobs,
      thread: thread, watch: ChildWatch(on: thread), tellsFailures: !showsMessages)
    let body = shown { message in { try await handler.verdict(on: message) } }
    try await run(baton, link(name, window: count), body, finish: handler.finish)
  }

  /// A post for each message.
  private func post(_ baton: Baton, _ name: String, to url: String) async throws {
    // One socket, and one to find its address.
    let count = JobRoom.jobs(place.window ?? Self.postsAtOnce, "posts", files: 2)
    let service = try WebService(
      WebService.Place(url: url, authorities: posting.caFile, proxy: posting.proxy), kept: count)
    let handler = PostHandler(
      service, try posting.secrets(), notices: JobLimit(count), tellsFailures: !showsMessages, timeout: place.timeout)
    var link = link(name)
    link.window = count
    try await run(baton, link, shown(handler.begin), finish: handler.finish)
  }

  /// How many posts are under way at once where nobody says so: a small web service bears them.
  private static let postsAtOnce = 16

  /// One program for all of them.
  private func stay(_ baton: Baton, _ name: String, needsIDs: @escaping @Sendable () -> Bool) async throws {
    var plan = ChildProcess.Plan(path: program[0], arguments: Array(program.dropFirst()))
    plan.environment = try ProgramEnvironment(place: server.place, authorities: server.authorities).variables
    let handler = PersistentHandler(
      PersistentProgram(name, plan, on: try LoopThread(), tellsFailures: !showsMessages, needsIDs: needsIDs))
    await handler.start()
    try await run(baton, link(name, window: running.jobs), shown(handler.begin), finish: handler.finish)
  }
}

extension TakenPlace {
  /// For people: `porter is link 2 of 3 in main, for door.*; Ctrl-C ends it`.
  fileprivate var words: String {
    let place = position.flatMap { position in links.map { "link \(position) of \($0)" } } ?? "a link"
    return "\(link.name) is \(place) in \(link.chain), for \(link.accepts.joined(separator: " ")); Ctrl-C ends it"
  }
}
