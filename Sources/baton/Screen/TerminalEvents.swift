import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What reaches a program that fills a terminal, beside the server's replies: keys and signals.
actor TerminalEvents {
  /// What has happened.
  enum Event: Sendable, Hashable {
    case key(Key)
    /// The terminal has another size.
    case resized
    /// The program is to end, by the signal of that number.
    case signal(Int32)
  }

  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
  private var handles: [Handle] = []
  private var reader = KeyReader()

  init() throws(UVError) { thread = try LoopThread() }

  /// Tells what happens from now on, until `stop`. False where no keys come: somebody else types, or nobody.
  func start(_ tell: @escaping @Sendable (Event) -> Void) throws(UVError) -> Bool {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      handles.append(try Signal(number, on: thread.loop) { tell(.signal(number)) })
    }
    handles.append(try Signal(SIGWINCH, on: thread.loop) { tell(.resized) })
    guard Terminal.isInput else { return false }
    let input = try? TerminalInput(ofTerminal: STDIN_FILENO, on: thread.loop) { [unowned self] bytes in
      // The end is the terminal's: whoever sat there has gone.
      if bytes.isEmpty { return tell(.signal(SIGHUP)) }
      for key in assumeIsolated({ $0.reader.read(bytes) }) { tell(.key(key)) }
    }
    guard let input else { return false }
    handles.append(input)
    return true
  }

  /// Lets go of the terminal: signals do what they did before.
  func stop() {
    for handle in handles { handle.close() }
    handles = []
  }

  /// Has the signal do to this process what it does by itself, at once: tasks run on threads that leave signals to
  /// others, which take them a little later.
  static func take(_ number: Int32) {
    var one = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, number)
    pthread_sigmask(SIG_UNBLOCK, &one, nil)
    raise(number)
  }
}
