#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Says which world was running when the core trapped or did not return. A trap ends the program at once, so nothing
/// else could say it.
package enum Alarm {
  /// The seed is read in a signal handler, on the one thread that there is.
  nonisolated(unsafe) private static var seed: UInt64 = 0
  /// A world takes milliseconds; one that takes this many seconds hangs.
  private static let patienceSeconds: UInt32 = 30

  /// The command that replays a world, without its seed.
  nonisolated(unsafe) private static var replay: StaticString = ""

  /// From now on a trap or a hang tells `replay` and the seed, and ends the program.
  package static func arm(replay: StaticString) {
    self.replay = replay
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] {
      signal(number) { number in
        Alarm.tell(number)
        _exit(1)
      }
    }
  }

  /// What begins now may take longer than a world.
  package static func rest() { alarm(0) }

  /// The world of this seed begins.
  package static func watch(_ seed: UInt64) {
    self.seed = seed
    alarm(patienceSeconds)
  }

  /// It only calls what a signal handler may call: nothing that allocates.
  private static func tell(_ number: Int32) {
    say(number == SIGALRM ? "\nthe core hangs; replay: " : "\nthe core trapped; replay: ")
    say(replay)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { digits in
      var rest = seed
      var at = digits.count - 1
      digits[at] = UInt8(ascii: "\n")
      repeat {
        at -= 1
        digits[at] = UInt8(48 + rest % 10)
        rest /= 10
      } while rest > 0
      _ = write(STDOUT_FILENO, digits.baseAddress.map { $0 + at }, digits.count - at)
    }
  }

  private static func say(_ text: StaticString) { _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount) }
}

/// The memory that the process has needed; no world depends on it.
package enum Memory {
  /// The most bytes that were resident at once.
  package static var peakBytes: Int {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(.init(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss * 1024
    #else
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }
}

/// How long the run has taken; no world depends on it.
package enum Clock {
  package static var milliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
