private import Synchronization

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A loop with a thread of its own, which actors can have as their executor: what they do and what the loop calls back
/// then happen on the same thread, one after the other.
///
/// It runs as long as the process does.
public final class LoopThread: SerialExecutor {
  /// For handles of actors that run here; not to be touched from another thread. `unsafe` because a loop is not
  /// `Sendable`: actors of this executor alone reach it by `assumeIsolated` or in their own methods.
  public nonisolated(unsafe) let loop: Loop
  private let jobs = Mutex<[UnownedJob]>([])
  private let wakeup: Wakeup.Sender
  private let thread: Mutex<pthread_t?> = Mutex(nil)

  /// Starts the thread. Throws where the system has no descriptors left for its loop.
  public init() throws(UVError) {
    loop = try Loop()
    let box = Box()
    let opened = try Wakeup(on: loop) { box.owner?.runJobs() }
    wakeup = opened.sender
    box.owner = self
    start()
  }

  /// Breaks the knot of a closure that is needed before there is a `self`.
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

  /// A peer that is gone is an error of the write. Without this, it would be the end of the process; only this thread
  /// is concerned, as the rest of the process may want it so.
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

  /// Has the job run on the loop's thread, after those that were enqueued before.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if isFirst { wakeup.wake() }
  }

  /// Traps where the caller is not on the loop's thread.
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
