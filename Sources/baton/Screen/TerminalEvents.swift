import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Events of a program that fills a terminal, beside the server's replies: keys and signals.
actor TerminalEvents {
  /// What has happened.
  enum Event: Sendable, Hashable {
    case key(Key)
    /// The terminal has another size.
    case resized
    /// The program goes on after a stop. Others had the terminal meanwhile.
    case resumed
    /// The signal with this number ends the program.
    case signal(Int32)
  }

  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  private var handles: [Handle] = []
  private var input: TerminalInput?
  private var tell: (@Sendable (Event) -> Void)?
  private var reader = KeyReader()

  init() throws(UVError) { thread = try LoopThread() }

  /// Reports events from now on, until `stop`. False if no keys come, as another program reads them or nobody types.
  func start(_ tell: @escaping @Sendable (Event) -> Void) throws(UVError) -> Bool {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      handles.append(try Signal(number, on: thread.loop) { tell(.signal(number)) })
    }
    handles.append(try Signal(SIGWINCH, on: thread.loop) { tell(.resized) })
    if Self.mayStop { handles.append(try Signal(SIGTSTP, on: thread.loop) { tell(.key(.suspend)) }) }
    handles.append(try Signal(SIGCONT, on: thread.loop) { tell(.resumed) })
    self.tell = tell
    return readKeys()
  }

  /// Reads what is typed, from now on. False if no keys come.
  @discardableResult
  func readKeys() -> Bool {
    guard Terminal.isInput, input == nil, let tell else { return input != nil }
    input = try? TerminalInput(ofTerminal: STDIN_FILENO, on: thread.loop) { [unowned self] bytes in
      if bytes.isEmpty {
        assumeIsolated { $0.input = nil }
        // What is typed is for another program; else the end of the input means that the terminal is gone.
        if !Terminal.isElsewhere { tell(.signal(SIGHUP)) }
        return
      }
      for key in assumeIsolated({ $0.reader.read(bytes) }) { tell(.key(key)) }
    }
    return input != nil
  }

  /// Leaves what is typed to another program, until `readKeys`.
  func leaveKeys() {
    input?.close()
    input = nil
  }

  /// Releases the terminal: signals do what they did before.
  func stop() {
    leaveKeys()
    tell = nil
    for handle in handles { handle.close() }
    handles = []
  }

  /// Lets the signal have its default effect on this process at once. Tasks run on threads that block signals; other
  /// threads would take the signal a little later.
  static func take(_ number: Int32) {
    unblock(number)
    raise(number)
  }

  /// Whether there is a shell that resumes what is stopped: without one, a program begins with the signal ignored.
  private static let mayStop = {
    let found = signal(SIGTSTP, SIG_DFL)
    _ = signal(SIGTSTP, found)
    return unsafeBitCast(found, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self)
  }()

  /// Stops the program and its job, as Ctrl-Z does, until the shell resumes them.
  static func stop() {
    guard mayStop else { return }
    // The loop's handler comes back with all that belongs to it: it must not be interrupted by others.
    var ours = sigaction()
    sigaction(SIGTSTP, nil, &ours)
    _ = signal(SIGTSTP, SIG_DFL)
    // Another thread may take the job's signal, and later. So this thread has one, too, which it takes below at the latest;
    // whoever resumes the program takes away the one that is left.
    change(SIG_BLOCK, SIGTSTP)
    raise(SIGTSTP)
    kill(0, SIGTSTP)
    unblock(SIGTSTP)
    sigaction(SIGTSTP, &ours, nil)
  }

  static func unblock(_ number: Int32) { change(SIG_UNBLOCK, number) }

  private static func change(_ how: Int32, _ number: Int32) {
    var one = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, number)
    pthread_sigmask(how, &one, nil)
  }
}
