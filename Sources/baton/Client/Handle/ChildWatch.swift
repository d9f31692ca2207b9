import UV

/// Ends the programs that are still running when this program is gone, also when it was killed: a shell reads from it
/// which there are, and ends them when nothing more comes. It is there before the first program.
actor ChildWatch {
  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private var process: ChildProcess?
  private var input: ProgramInput?
  private var isTold = false

  /// Each program is the leader of a group of processes.
  private static let script = """
    trap '' HUP INT TERM
    exec >/dev/null 2>&1
    groups=' '
    while read -r sign group; do
      case $sign in
        +) groups="$groups$group " ;;
        -) groups="${groups%% $group *} ${groups#* $group }" ;;
      esac
    done
    [ "$groups" != ' ' ] || exit 0
    for group in $groups; do kill -TERM "-$group"; done
    sleep 2
    for group in $groups; do kill -KILL "-$group"; done
    """

  init(on thread: LoopThread) { self.thread = thread }

  /// A program is about to be started. The shell is there before it, so that `began` has only to tell it.
  func begins() {
    if process == nil, !isTold { start() }
  }

  /// The program was started.
  func began(_ group: Int32) { tell("+ \(group)\n") }

  /// A program has ended, and all of its group.
  func ended(_ group: Int32) { tell("- \(group)\n") }

  private func tell(_ line: String) { input?.send(Array(line.utf8)) }

  private func start() {
    var plan = ChildProcess.Plan(path: "/bin/sh", arguments: ["-c", Self.script])
    plan.hasInput = true
    plan.isApart = true
    do {
      let started = try ChildProcess(plan, on: thread.loop) { [unowned self] _ in assumeIsolated { $0.stop() } }
      process = started
      started.output.close()
      input = started.input.map { ProgramInput($0) }
    } catch {
      isTold = true
      talk("if this program is killed, what it has started goes on: /bin/sh cannot be started: \(error)")
    }
  }

  private func stop() {
    input?.close()
    process?.close()
    (input, process) = (nil, nil)
  }
}
