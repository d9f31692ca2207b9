private import Synchronization

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A loop with its own thread, which actors can use as their executor. Their work and the loop's callbacks then run on
/// the same thread, one after the other.
///
/// It runs as long as the process does.
public final class LoopThread: SerialExecutor {
  /// For handles of actors that run here; it must not be used from another thread. `unsafe` because a loop is not
  /// `Sendable`: only actors of this executor reach it, by `assumeIsolated` or in their own methods.
  public nonisolated(unsafe) let loop: Loop
  private let jobs = Mutex<[UnownedJob]>([])
  private let wakeup: Wakeup.Sender
  private let thread: Mutex<pthread_t?> = Mutex(nil)

  /// Starts the thread. Throws if the system has no descriptors left for its loop.
  public init() throws(UVError) {
    loop = try Loop()
    let box = Box()
    let opened = try Wakeup(on: loop) { box.owner?.runJobs() }
    wakeup = opened.sender
    box.owner = self
    start()
  }

  /// A reference for a closure that is needed before `self` is initialized.
  private final class Box {
    unowned var owner: LoopThread?
  }

  private func start() {
    // The thread holds its loop for ever, and libuv holds the handle of the wake-up.
    let held = Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
      var started: pthread_t?
    #else
      var started = pthread_t()
    #endif
    let result = pthread_create(&started, nil, runLoop, held)
    precondition(result == 0, "the system has no thread left")
  }

  fileprivate func run() {
    thread.withLock { $0 = pthread_self() }
    ignoreBrokenPipes()
    loop.run()
  }

  /// Blocks SIGPIPE: a write to a peer that is gone fails then, and does not end the process. Only this thread blocks
  /// it, because the rest of the process may want the signal.
  private func ignoreBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func runJobs() {
    let ready = jobs.withLock { jobs in
      let ready = jobs
      jobs = []
      return ready
    }
    for job in ready { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  // MARK: SerialExecutor

  /// Runs the job on the loop's thread, after the jobs that were enqueued before.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if isFirst { wakeup.wake() }
  }

  /// Traps if the caller is not on the loop's thread.
  public func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "this is not the loop's thread")
  }

  /// Whether the caller is on the loop's thread.
  public func isIsolatingCurrentContext() -> Bool? {
    thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }
}

#if canImport(Darwin)
  private func runLoop(_ held: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<LoopThread>.fromOpaque(held).takeRetainedValue().run()
    return nil
  }
#else
  private func runLoop(_ held: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let held { Unmanaged<LoopThread>.fromOpaque(held).takeRetainedValue().run() }
    return nil
  }
#endif
