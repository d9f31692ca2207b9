import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The CPU time that one process has used, and the core that it runs on.
struct ProcessorClock {
  private let process: Int32

  /// The clock of the process with this number. Only Linux tells the clock of another process.
  init(process: Int32) { self.process = process }

  /// This process's own.
  static let own = ProcessorClock(process: 0)

  /// CPU time of all its threads, in user mode and in the kernel; nil if the process is gone or its time is unknown.
  var nanoseconds: Int64? {
    var clock = CLOCK_PROCESS_CPUTIME_ID
    if process != 0 {
      #if os(Linux)
        guard clock_getcpuclockid(process, &clock) == 0 else { return nil }
      #else
        return nil
      #endif
    }
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Lets the process run on one core only.
  func pin(to core: Int) throws {
    guard !Processor.pin(process: process, toCore: core) else { return }
    throw BenchFailure("a process cannot be kept on core \(core) here; cores count from 0, and only Linux can do this")
  }
}
