#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The terminal while a page fills it: the alternate screen, no cursor, and keys that come at once and are not shown.
/// `leave` restores everything, and so does `deinit`.
final class Screen {
  private let takesKeys: Bool
  private var isEntered = false
  /// The terminal's original modes; nil if no keys are read.
  private var modes: termios?

  /// A screen that is not taken yet; `takesKeys` if keys are read.
  init(takesKeys: Bool) { self.takesKeys = takesKeys }

  deinit { leave() }

  /// Takes the terminal.
  func enter() {
    guard !isEntered else { return }
    isEntered = true
    take()
  }

  /// Takes it again: others may have had it.
  func retake() { if isEntered { take() } }

  private func take() {
    Terminal.awaitForeground()
    var found = termios()
    if takesKeys, tcgetattr(STDIN_FILENO, &found) == 0 {
      modes = modes ?? found
      var raw = modes ?? found
      raw.c_iflag &= ~tcflag_t(ICRNL | IXON)
      raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    }
    // The alternate screen, no cursor, and no wrapping, so that a long line does not disturb others.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
  }

  /// Restores the terminal. Typed keys that were not read are dropped: they were not meant for the next program.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    if var modes { tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes) }
    modes = nil
  }

  /// Calls the person.
  func ring() { write("\u{07}") }

  /// Shows these lines and nothing else. What stood there is erased before a line is written: behind a full line the
  /// cursor still stands on its last letter.
  func draw(_ lines: [String]) {
    if Terminal.isElsewhere { retake() }
    let above = lines.dropLast().map { "\u{1B}[K\($0)\r\n" }.joined()
    write("\u{1B}[H\(above)\u{1B}[J\(lines.last ?? "")")
  }

  /// Writes everything, in one piece if the terminal takes it. If the terminal is gone, a signal says so.
  private func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let count = systemWrite(STDOUT_FILENO, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        done += count
      }
    }
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
