import BatonCore
import BatonExpect
import BatonRecord
import BatonServer
import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why nothing can be replayed.
struct ReplayFailure: Error {
  let words: String
}

/// A server of its own with the program that serves the link, and what that decides of recorded messages. Nothing leaves it:
/// the server listens at a socket in a folder that only this user may enter, and the program gets no other place.
final class ReplayRun {
  private let loop: Loop
  private let folder: String
  private let jobs: Int
  private let times: Int
  private let server: ServerUnderTest
  private let guardian: ReplayGuardian
  private var peer: ReplayPeer?
  private var program: ChildProcess?
  private var programsEnd: ChildProcess.Ending?
  private var output: ProgramOutput?
  private var pending: [Int: Pending] = [:]
  private var questions = 0
  private(set) var changes = DecisionChanges()

  /// A message that was asked about once or more often, and has not all answers yet.
  private final class Pending {
    let n: Int
    let asked: AskedStep
    var outcomes: [String] = []

    init(n: Int, _ asked: AskedStep) { (self.n, self.asked) = (n, asked) }
  }

  /// Settings of the server. A link that fails often is to be asked all the same.
  private static let settings = ["breaker_offers=1000000", "max_line=67108864", "max_errors=1000000"]

  init(jobs: Int, times: Int) throws {
    (self.jobs, self.times) = (jobs, times)
    loop = try Loop()
    var name =
      Array((Environment["TMPDIR"] ?? "/tmp").utf8CString.dropLast()) + Array("/baton-replay-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw ReplayFailure(words: "no folder can be made in TMPDIR") }
    folder = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    guardian = try ReplayGuardian(of: folder, on: loop)
    server = try ServerUnderTest(
      on: loop, at: ["--listen", "unix:\(folder)/s"], settings: Self.settings, environment: try Self.environment([]),
      isApart: true)
    if let address = server.address { guardian.watch(address.pid) }
  }

  /// This program's environment, without what names servers and says who somebody is.
  private static func environment(_ more: [String]) throws -> [String] {
    try Executable.environment().filter { !$0.name.hasPrefix("BATON_") }.map { "\($0.name)=\($0.value)" } + more
  }

  // MARK: The link

  /// Starts the program, and waits until it serves the link.
  func begin(_ command: [String], chain: String, link: String) throws {
    let stream = try UV.Stream(.unix, on: loop)
    stream.connect(toPath: "\(folder)/s")
    var isListening = false
    let peer = ReplayPeer(
      stream, chain: chain, link: link, listens: { isListening = true },
      decided: { [unowned self] in decide($0, $1) })
    self.peer = peer
    while !isListening { try turn() }
    var plan = ChildProcess.Plan(path: command[0], arguments: Array(command.dropFirst()))
    plan.environment = try Self.environment(["BATON_SERVER=unix:\(folder)/s", "BATON_REPLAY=1"])
    plan.isApart = true
    do throws(UVError) {
      let program = try ChildProcess(plan, on: loop) { [unowned self] in programsEnd = $0 }
      self.program = program
      guardian.watch(program.pid)
      // What it prints is no part of the report.
      output = try ProgramOutput(program.output) { bytes in
        bytes.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
      }
    } catch {
      throw ReplayFailure(words: "\(command[0]) cannot be started: \(error)")
    }
    while !peer.isReady { try turn() }
  }

  private func turn() throws {
    peer?.turn()
    if let words = peer?.failure { throw ReplayFailure(words: words) }
    if programsEnd != nil { throw ReplayFailure(words: ReplayPeer.left) }
    loop.runOnce()
  }

  // MARK: Questions

  /// Asks about a message: now, or once others have been decided. What cannot be asked is counted.
  func play(_ line: RecordLine, _ contents: RecordLine?, _ asked: AskedStep) throws {
    let payload: [UInt8]?
    switch asked.payload {
    case .success(let known): payload = known
    case .failure(let unknown): return changes.leaveOut(unknown.words)
    }
    guard let peer, let topic = line.json("topic"), let sender = line.text("from") else { return }
    var members = Array(",\"topic\":".utf8) + topic
    if let key = contents?.json("key") { members += Array(",\"key\":".utf8) + key }
    // They are texts in the record: what is no value would become other members of the line, or other lines.
    for (name, text) in [("meta", contents?.text("meta").map { Array($0.utf8) }), ("payload", payload)] {
      guard let text else { continue }
      guard let value = JSONText.value(text) else { return changes.leaveOut("no JSON") }
      members += Array(",\"\(name)\":".utf8) + value
    }
    let one = Pending(n: line.n, asked)
    for _ in 0..<times {
      while pending.count >= jobs { try turn() }
      questions += 1
      pending[questions] = one
      peer.ask(questions, members, from: sender, isBroadcast: line.text("for") == "broadcast")
    }
  }

  /// Waits for what is still to be decided.
  func finish() throws { while !pending.isEmpty { try turn() } }

  private func decide(_ question: Int, _ decision: Result<ReplayPeer.Decision, ReplayPeer.Refusal>) {
    guard let one = pending.removeValue(forKey: question) else { return }
    switch decision {
    case .success(let decision): one.outcomes.append(now(decision, one.asked))
    case .failure(let refusal): one.outcomes.append("refused: \(refusal.code)")
    }
    guard one.outcomes.count == times else { return }
    if one.outcomes.contains(where: { $0 != one.outcomes[0] }) { changes.disagreesWithItself += 1 }
    if one.outcomes[0].hasPrefix("refused: ") { return changes.leaveOut(one.outcomes[0]) }
    changes.compare(one.asked.outcome, one.outcomes[0], n: one.n)
  }

  private func now(_ decision: ReplayPeer.Decision, _ asked: AskedStep) -> String {
    let rewrites = decision.outcome == "continue" && !isSame(decision.after, try? asked.payload.get())
    // Others are asked beside it: it would be open whose words count.
    if asked.isInStage, rewrites || decision.outcome == "handled" { return "failed" }
    guard decision.outcome == "continue", asked.outcome == "continue", !isSame(decision.after, asked.after) else {
      return decision.outcome
    }
    return "continue, another payload"
  }

  /// Whether two payloads mean the same.
  private func isSame(_ one: [UInt8]?, _ other: [UInt8]?) -> Bool {
    if one == other { return true }
    guard let one, let other else { return false }
    let value = JSONValue(spelled: String(decoding: one, as: UTF8.self))
    return value != nil && value == JSONValue(spelled: String(decoding: other, as: UTF8.self))
  }

  // MARK: The end

  /// Ends the program and the server, and takes the folder away.
  func end() {
    program?.killGroup(signal: SIGTERM)
    wait { program == nil || programsEnd != nil }
    program?.killGroup(signal: SIGKILL)
    peer?.close()
    server.stop()
    output?.finish()
    program?.close()
    guardian.finish()
    wait { guardian.hasEnded }
    guardian.close()
  }

  /// Runs the loop until that is so, and for at most three seconds.
  private func wait(until isSo: () -> Bool) {
    var isLate = false
    guard let clock = try? UV.Timer(on: loop, action: { isLate = true }) else { return }
    clock.set(microseconds: MonotonicClock.microseconds + 3_000_000)
    while !isSo(), !isLate { loop.runOnce() }
    clock.close()
  }
}

/// Ends the server and the program also if this one is killed, and takes the folder away: a shell reads from it which there
/// are, and does so when nothing more comes.
private final class ReplayGuardian {
  private let process: ChildProcess
  private let input: ProgramInput?
  private let shell: Shell

  private final class Shell {
    var hasEnded = false
  }

  private static let script = """
    trap '' HUP INT TERM
    exec >/dev/null 2>&1
    groups=
    while read -r word; do
      [ "$word" != done ] || { rm -rf "$1"; exit 0; }
      groups="$groups $word"
    done
    for group in $groups; do kill -TERM "-$group"; done
    sleep 2
    for group in $groups; do kill -KILL "-$group"; done
    rm -rf "$1"
    """

  init(of folder: String, on loop: Loop) throws {
    var plan = ChildProcess.Plan(path: "/bin/sh", arguments: ["-c", Self.script, "sh", folder])
    (plan.hasInput, plan.isApart) = (true, true)
    let shell = Shell()
    self.shell = shell
    process = try ChildProcess(plan, on: loop) { _ in shell.hasEnded = true }
    process.output.close()
    input = process.input.map { ProgramInput($0) }
  }

  func watch(_ group: Int32) { input?.send(Array("\(group)\n".utf8)) }

  /// All have ended. The shell ends once the folder is away.
  func finish() {
    input?.send(Array("done\n".utf8))
    input?.end()
  }

  var hasEnded: Bool { shell.hasEnded }

  func close() { process.close() }
}
