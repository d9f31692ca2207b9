import BatonCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The process's environment.
enum Environment {
  /// A variable's value; nil if it is not set, or empty.
  static subscript(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// A variable's value, which may be empty; nil if it is not set.
  static func evenEmpty(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// The terminal that the program's output goes to, if there is one.
enum Terminal {
  /// Whether standard output is for a person.
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }
  /// Whether standard error is for a person.
  static var isTalk: Bool { isatty(STDERR_FILENO) == 1 }
  /// Whether standard input comes from a person.
  static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

  /// Columns and rows of the terminal; 80 by 24 if there is none.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Whether it may know no sequences.
  private static var isDumb: Bool { [nil, "dumb"].contains(Environment["TERM"]) }

  /// Whether a page can be drawn again and again on it.
  static var canRedraw: Bool { isOutput && !isDumb }

  /// Whether a line of standard error can be written anew.
  static var canRewriteTalk: Bool { isTalk && !isDumb }

  /// Whether output may be in colour: a terminal that is not dumb, and no `NO_COLOR`.
  static var hasColour: Bool { isOutput && Environment["NO_COLOR"] == nil && !isDumb }

  // MARK: The shell's jobs

  /// Whether the program is in the background: the shell has given the terminal to another job, or to nobody.
  static var isElsewhere: Bool {
    let group = tcgetpgrp(STDOUT_FILENO)
    return group > 0 && group != getpgrp()
  }

  /// Returns once the program is in the foreground. In the background the kernel stops it, as all programs that change a
  /// terminal. Where no shell is left to bring it back, the terminal is lost for it.
  static func awaitForeground() {
    TerminalEvents.unblock(SIGTTOU)
    while tcdrain(STDOUT_FILENO) != 0 {
      if errno == EIO { return TerminalEvents.take(SIGHUP) }
      if errno != EINTR { return }
    }
  }
}

extension Paint {
  /// For standard output.
  static var output: Paint { Paint(isOn: Terminal.hasColour) }
  static let none = Paint(isOn: false)
}

/// Rewrites the line that shows the progress; an empty line removes it.
func showProgress(_ line: String) {
  var line = "\r\u{1B}[K" + line.talkSafe
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Prints a line for people to standard error. Only data goes to standard output.
func talk(_ line: String) {
  var line = line.tokenSafe.talkSafe + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
