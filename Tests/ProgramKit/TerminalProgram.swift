import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The real program on a terminal of its own, as a person has it: what is seen there, and what is typed.
package final class TerminalProgram {
  /// What the terminal shows, as far as it was read.
  package private(set) var screen: VirtualScreen
  /// How the terminal treated what is typed and shown before the program began.
  package let modesBefore: [UInt64]
  private let terminal: Terminal
  private let child: Child

  /// Starts `baton` with `arguments` on a terminal of that size. `environment` (`NAME=value`) comes before what it
  /// inherits. It leads a session, so that the terminal is its own and tells it of a new size.
  package convenience init(_ arguments: [String], columns: Int, rows: Int, environment: [String] = []) throws {
    try self.init(command: [Program.path] + arguments, columns: columns, rows: rows, environment: environment)
  }

  /// The same with a line of the shell.
  package convenience init(shell line: String, columns: Int, rows: Int, environment: [String] = []) throws {
    try self.init(command: ["/bin/sh", "-c", line], columns: columns, rows: rows, environment: environment)
  }

  private init(command: [String], columns: Int, rows: Int, environment: [String]) throws {
    let terminal = try Terminal(columns: columns, rows: rows)
    self.terminal = terminal
    modesBefore = terminal.modes
    screen = VirtualScreen(columns: columns, rows: rows)
    let inherited = Child.environment.filter { !$0.hasPrefix("NO_COLOR=") && !$0.hasPrefix("TERM=") }
    child = try Child(
      command, environment: environment + ["TERM=xterm-256color"] + inherited, leading: .session
    ) { streams in
      posix_spawn_file_actions_addopen(&streams, 0, terminal.name, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&streams, 0, 1)
      posix_spawn_file_actions_adddup2(&streams, 0, 2)
    }
  }

  /// Reads until the screen is as wanted; false if that takes too long.
  package func sees(_ isWanted: (VirtualScreen) -> Bool) -> Bool {
    while !isWanted(screen) {
      guard readPart(within: Program.patience) else { return false }
    }
    return true
  }

  /// Reads until the screen shows `text`.
  package func sees(_ text: String) -> Bool { sees { $0.text.contains(text) } }

  package func type(_ text: String) { terminal.type(text) }

  package func resize(columns: Int, rows: Int) {
    screen.resize(columns: columns, rows: rows)
    terminal.resize(columns: columns, rows: rows)
  }

  package func send(_ signal: Int32) { child.send(signal) }

  /// How the terminal now treats what is typed and shown, bit by bit.
  package var modes: [UInt64] { terminal.modes }

  /// Reads up to the program's end and returns its exit code, or the negated signal. A program that does not end is
  /// killed.
  package func wait() -> Int32 {
    var waited: Int32 = 0
    while child.isRunning {
      if readPart(within: 20) { continue }
      waited += 20
      if waited > Program.patience { child.kill() }
    }
    while readPart(within: 0) {}
    return child.wait()
  }

  /// Reads once; false if nothing comes within this many milliseconds.
  private func readPart(within milliseconds: Int32) -> Bool {
    guard let part = terminal.readPart(within: milliseconds) else { return false }
    screen.write(part)
    return true
  }
}
