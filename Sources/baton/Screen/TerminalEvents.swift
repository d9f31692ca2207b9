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
    self.tell = tell
    return readKeys()
  }

  /// Reads what is typed, from now on. False if no keys come.
  @discardableResult
  func readKeys() -> Bool {
    guard Terminal.isInput, input == nil, let tell else { return input != nil }
    input = try? TerminalInput(ofTerminal: STDIN_FILENO, on: thread.loop) { [unowned self] bytes in
      // The end of the input means that the terminal is gone.
      if bytes.isEmpty { return tell(.signal(SIGHUP)) }
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
    var one = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, number)
    pthread_sigmask(SIG_UNBLOCK, &one, nil)
    raise(number)
  }
}
