#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The terminal while a picture fills it: the other screen, no cursor, keys that come at once and are not shown.
/// Whatever happens, `leave` puts everything back, and so does letting go of it.
final class Screen {
  private let takesKeys: Bool
  private var isEntered = false
  /// The terminal's modes as they were found; nil where nobody types.
  private var modes: termios?

  /// A screen that is not taken yet; `takesKeys` where somebody reads what is typed.
  init(takesKeys: Bool) { self.takesKeys = takesKeys }

  deinit { leave() }

  /// Takes the terminal.
  func enter() {
    guard !isEntered else { return }
    isEntered = true
    var found = termios()
    if takesKeys, tcgetattr(STDIN_FILENO, &found) == 0 {
      modes = found
      var raw = found
      raw.c_iflag &= ~tcflag_t(ICRNL | IXON)
      raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    }
    // The other screen, no cursor, and no wrapping: a line that is too long spoils no other.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
  }

  /// Gives it back as it was. What was typed and not read is thrown away: it was not meant for who comes next.
  func leave() {
    guard isEntered else { return }
    isEntered = false
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    if var modes { tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes) }
    modes = nil
  }

  /// Shows these lines and nothing else.
  func draw(_ lines: [String]) {
    let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    write("\u{1B}[H\(text)\u{1B}[J")
  }

  /// Writes everything, in one go where the terminal takes it. A terminal that is gone is told by a signal.
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
