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
  private let master: Int32
  /// Held open, so that the terminal's modes can be asked for when the program has gone.
  private let slave: Int32
  private let process: pid_t
  private var exitCode: Int32?

  /// Starts `baton` with `arguments` on a terminal of that size; `environment` (`NAME=value`) stands before what it
  /// inherits.
  package init(_ arguments: [String], columns: Int, rows: Int, environment: [String] = []) throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    guard openpty(&ends.master, &ends.slave, nil, nil, nil) == 0, let name = ttyname(ends.slave) else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
    (master, slave) = ends
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    screen = VirtualScreen(columns: columns, rows: rows)
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    process = try TerminalProgram.spawn(arguments, on: String(cString: name), environment: environment)
  }

  deinit {
    if exitCode == nil {
      kill(process, SIGKILL)
      var status: Int32 = 0
      waitpid(process, &status, 0)
    }
    close(master)
    close(slave)
  }

  /// As the leader of a session: the terminal that it opens first is its own then, and tells it of a new size.
  private static func spawn(_ arguments: [String], on terminal: String, environment: [String]) throws -> pid_t {
    let inherited = Child.environment.filter { !$0.hasPrefix("NO_COLOR=") && !$0.hasPrefix("TERM=") }
    return try Child.start(
      [Program.path] + arguments, environment: environment + ["TERM=xterm-256color"] + inherited, flags: newSession
    ) { streams in
      posix_spawn_file_actions_addopen(&streams, 0, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&streams, 0, 1)
      posix_spawn_file_actions_adddup2(&streams, 0, 2)
    }
  }

  // MARK: Seeing and typing

  /// Reads until the screen is as wanted; false where it is not for too long.
  package func sees(_ isWanted: (VirtualScreen) -> Bool) -> Bool {
    while !isWanted(screen) {
      guard readPart(within: Program.patience) else { return false }
    }
    return true
  }

  /// Reads until the screen shows `text`.
  package func sees(_ text: String) -> Bool { sees { $0.text.contains(text) } }

  package func type(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

  package func resize(columns: Int, rows: Int) {
    screen.resize(columns: columns, rows: rows)
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  package func send(_ signal: Int32) { kill(process, signal) }

  /// How the terminal treats what is typed and shown now, bit by bit.
  package var modes: [UInt64] {
    var modes = termios()
    guard tcgetattr(slave, &modes) == 0 else { return [] }
    let characters = withUnsafeBytes(of: modes.c_cc) { $0.map(UInt64.init) }
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag].map { UInt64($0) } + characters
  }

  /// Reads up to the program's end and returns its exit code, or the negated signal. Who does not end for too long is
  /// killed.
  package func wait() -> Int32 {
    var waited: Int32 = 0
    var status: Int32 = 0
    while exitCode == nil {
      if waitpid(process, &status, WNOHANG) == process {
        exitCode = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
      } else if !readPart(within: 20) {
        waited += 20
        if waited > Program.patience { kill(process, SIGKILL) }
      }
    }
    while readPart(within: 0) {}
    return exitCode ?? -1
  }

  /// Reads once; false where nothing comes within so many milliseconds.
  private func readPart(within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, milliseconds) > 0 else { return false }
    var part = [UInt8](repeating: 0, count: 65536)
    let count = read(master, &part, part.count)
    guard count > 0 else { return false }
    screen.write(part[..<count])
    return true
  }
}

#if canImport(Darwin)
  private let newSession = Int16(POSIX_SPAWN_SETSID)
#else
  /// glibc declares it for C programs that define _GNU_SOURCE only.
  private let newSession: Int16 = 0x80
#endif
