import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A terminal without a person: what programs write there, and what is typed.
package final class Terminal {
  /// The path at which a program finds it.
  package let name: String
  private let person: Int32
  /// Held open, so that the modes can be asked for when the program has gone.
  private let programs: Int32

  package init(columns: Int, rows: Int) throws {
    var ends: (person: Int32, programs: Int32) = (-1, -1)
    guard openpty(&ends.person, &ends.programs, nil, nil, nil) == 0, let name = ttyname(ends.programs) else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
    (person, programs) = ends
    self.name = String(cString: name)
    for end in [person, programs] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    resize(columns: columns, rows: rows)
  }

  deinit {
    close(person)
    close(programs)
  }

  package func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(person, UInt(TIOCSWINSZ), &size)
  }

  package func type(_ text: String) { _ = text.withCString { write(person, $0, strlen($0)) } }

  /// How it now treats what is typed and shown, bit by bit.
  package var modes: [UInt64] {
    var modes = termios()
    guard tcgetattr(programs, &modes) == 0 else { return [] }
    let characters = withUnsafeBytes(of: modes.c_cc) { $0.map(UInt64.init) }
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag].map { UInt64($0) } + characters
  }

  /// Reads once; nil if nothing comes within this many milliseconds. A terminal hands over what it has in parts.
  package func readPart(within milliseconds: Int32 = Program.patience) -> [UInt8]? {
    var wanted = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, milliseconds) > 0 else { return nil }
    var part = [UInt8](repeating: 0, count: 65536)
    let count = read(person, &part, part.count)
    return count > 0 ? Array(part[..<count]) : nil
  }
}
