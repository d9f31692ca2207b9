package import Foundation

#if canImport(Darwin)
  package import Darwin
#else
  import Glibc
#endif

/// One process that a test started: its signals and its end. It is killed when the last reference to it goes, together
/// with its group if it leads one.
package final class Child {
  #if canImport(Darwin)
    package typealias Streams = posix_spawn_file_actions_t?
    private static var noStreams: Streams { nil }
    private static var noAttributes: posix_spawnattr_t? { nil }
  #else
    package typealias Streams = posix_spawn_file_actions_t
    private static var noStreams: Streams { Streams() }
    private static var noAttributes: posix_spawnattr_t { posix_spawnattr_t() }
  #endif

  /// What the process leads: nothing, a group of its own, or a session. The first terminal that it opens becomes the
  /// session's.
  package enum Lead {
    case nothing, group, session
  }

  /// Its number in the system.
  package let number: pid_t
  private let lead: Lead
  private var code: Int32?

  /// The environment that this process has, as `NAME=value`.
  package static var environment: [String] {
    ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
  }

  /// Starts the program at the path that is the first word; `streams` says what its standard streams are.
  ///
  /// Tests run on threads that block nearly all signals, and a child would inherit that. So all signals are unblocked
  /// for it.
  package init(
    _ words: [String], environment: [String] = environment, leading lead: Lead = .nothing,
    streams: (inout Streams) -> Void
  ) throws {
    self.lead = lead
    var actions = Self.noStreams
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    streams(&actions)
    var attributes = Self.noAttributes
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | lead.flags)
    var pointers = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for pointer in pointers + variables { free(pointer) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, words[0], &actions, &attributes, &pointers, &variables)
    if result != 0 { throw POSIXError(.init(rawValue: result) ?? .EIO) }
    number = process
  }

  deinit {
    if code != nil { return }
    kill()
    _ = wait()
  }

  package func send(_ signal: Int32) { if code == nil { Foundation.kill(number, signal) } }

  /// Sends a signal to it and to all of the group that it leads.
  package func sendToGroup(_ signal: Int32) { if code == nil { Foundation.kill(-number, signal) } }

  /// Kills it, with all of the group that it leads.
  package func kill() { if lead == .group { sendToGroup(SIGKILL) } else { send(SIGKILL) } }

  package var isRunning: Bool {
    var status: Int32 = 0
    if code == nil, waitpid(number, &status, WNOHANG) == number { code = Self.code(of: status) }
    return code == nil
  }

  /// Waits for the end, and returns the exit code or the negated signal.
  package func wait() -> Int32 {
    if let code { return code }
    var status: Int32 = 0
    waitpid(number, &status, 0)
    let code = Self.code(of: status)
    self.code = code
    return code
  }

  private static func code(of status: Int32) -> Int32 {
    status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
  }
}

extension Child.Lead {
  fileprivate var flags: Int16 {
    switch self {
    case .nothing: 0
    case .group: Int16(POSIX_SPAWN_SETPGROUP)
    #if canImport(Darwin)
      case .session: Int16(POSIX_SPAWN_SETSID)
    #else
      // glibc declares it only for C programs that define _GNU_SOURCE.
      case .session: 0x80
    #endif
    }
  }
}
