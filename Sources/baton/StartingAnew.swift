import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Starts the process itself once more, as it was started: with its arguments, its environment, its first signal mask, and the
/// sockets of a service manager. It has its number, so the service manager notices nothing.
struct StartingAnew: @unchecked Sendable {
  private let environment: [String]
  private var mask = sigset_t()
  /// Copies of the sockets that were handed over, in their order: a server that drains closes its own.
  private let copies = Copies()

  private final class Copies { var numbers: [Int32] = [] }

  /// Remembers how the process was started. It is made before anything is taken out of the environment.
  init() {
    var (all, next): ([String], _) = ([], environ)
    while let entry = next.pointee {
      all.append(String(cString: entry))
      next += 1
    }
    environment = all
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    // The program itself holds it until it listens.
    sigdelset(&mask, SIGHUP)
  }

  /// Keeps the sockets that were handed over.
  func keep(_ sockets: [Int32]) {
    copies.numbers = sockets.map { fcntl($0, F_DUPFD_CLOEXEC, StartingAnew.beyond) }
  }

  /// The first descriptor of copies: those that are handed over begin at 3.
  private static let beyond: Int32 = 300

  /// Starts it. Without room for it, the process ends.
  func start() -> Never {
    for (number, copy) in copies.numbers.enumerated() where copy >= 0 { dup2(copy, 3 + Int32(number)) }
    var mask = mask
    pthread_sigmask(SIG_SETMASK, &mask, nil)
    let values = environment.map { strdup($0) } + [nil]
    let arguments = CommandLine.unsafeArgv
    // A program that was replaced is started as it is now; one that is gone, as it was.
    for path in [ProgramPath.current, "/proc/self/exe"].compactMap(\.self) { execve(path, arguments, values) }
    talk("baton: the process cannot start itself anew: \(String(cString: strerror(errno)))")
    _exit(1)
  }
}
