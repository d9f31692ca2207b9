import Synchronization

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What refuses if all else does not: signals that would end the program, a timer of the kernel, and a thread beside it.
/// They allocate nothing, wait for nothing, and use no lock: whatever else hangs, the no is said.
enum HookWatch {
  nonisolated(unsafe) private static var words: UnsafeMutablePointer<Prepared>?
  private static let ending = Atomic(false)
  private static let deadline = Atomic(Int(0))

  /// Bytes that stay where they are.
  private struct Prepared {
    let lateSentence, lateJSON, endedSentence, endedJSON: UnsafeRawBufferPointer
    let isJSONFirst: Bool
    let jsonCode: Int32
  }

  /// What is added to the exit code, so that the command in an entry knows that this program has answered.
  nonisolated(unsafe) private static var added: Int32 = 0

  static func exit(_ code: Int32) -> Never { _exit(code + added) }

  /// Who answers calls it before a byte is written. Returns once: who comes second waits for the end of the program.
  static func claim() {
    while ending.exchange(true, ordering: .sequentiallyConsistent) { pause() }
  }

  /// From here on the program refuses when it is ended, and after a time.
  static func begin(_ refusal: HookRefusal, isInEntry: Bool) {
    added = isInEntry ? 80 : 0
    signal(SIGPIPE, SIG_IGN)
    prepare(refusal)
    _ = (ending.load(ordering: .relaxed), deadline.load(ordering: .relaxed))
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { HookWatch.refuse($0) }
    #else
      action.__sigaction_handler.sa_handler = { HookWatch.refuse($0) }
    #endif
    // An agent may have started it with signals blocked.
    var all = sigset_t()
    sigemptyset(&all)
    for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2] {
      sigaction(number, &action, nil)
      sigaddset(&all, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &all, nil)
    ring(milliseconds: 55_000)
  }

  /// The options are known.
  static func goOn(_ refusal: HookRefusal, milliseconds: Int) {
    prepare(refusal)
    ring(milliseconds: milliseconds)
    deadline.store(milliseconds + 100, ordering: .sequentiallyConsistent)
    var thread: pthread_t? = nil
    #if canImport(Darwin)
      pthread_create(&thread, nil, { _ in HookWatch.wait() }, nil)
    #else
      var number = pthread_t()
      pthread_create(&number, nil, { _ in HookWatch.wait() }, nil)
      thread = number
    #endif
    if let thread { pthread_detach(thread) }
  }

  private static func wait() -> Never {
    let milliseconds = deadline.load(ordering: .sequentiallyConsistent)
    var rest = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    var left = rest
    while nanosleep(&rest, &left) != 0 { rest = left }
    refuse(SIGALRM)
    // The answer is being written, or nothing takes it.
    sleep(3)
    exit(2)
  }

  private static func ring(milliseconds: Int) { alarm(UInt32((milliseconds + 999) / 1000)) }

  /// What is written down stays: nobody frees it, and a signal may read the old one.
  private static func prepare(_ refusal: HookRefusal) {
    let late = refusal.said("Nobody decided in \(refusal.time). Nothing was run.")
    let ended = refusal.said("The guard is broken: it was ended before it had an answer. Nothing was run.")
    let place = UnsafeMutablePointer<Prepared>.allocate(capacity: 1)
    place.initialize(
      to: Prepared(
        lateSentence: fixed(late.sentence), lateJSON: fixed(late.json), endedSentence: fixed(ended.sentence),
        endedJSON: fixed(ended.json), isJSONFirst: late.isJSONFirst, jsonCode: late.jsonCode))
    words = place
  }

  private static func fixed(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    let place = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    place.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(place)
  }

  /// Called by a signal.
  private static func refuse(_ number: Int32) {
    guard !ending.exchange(true, ordering: .sequentiallyConsistent), let said = words?.pointee else { return }
    let isLate = number == SIGALRM
    exit(
      HookRefusal.say(
        isLate ? said.lateSentence : said.endedSentence, isLate ? said.lateJSON : said.endedJSON, said.isJSONFirst,
        said.jsonCode, patience: 0))
  }
}
