package import Foundation

#if canImport(Darwin)
  package import Darwin
#else
  import Glibc
#endif

/// How a test starts a process.
package enum Child {
  #if canImport(Darwin)
    package typealias Streams = posix_spawn_file_actions_t?
    private static var noStreams: Streams { nil }
    private static var noAttributes: posix_spawnattr_t? { nil }
  #else
    package typealias Streams = posix_spawn_file_actions_t
    private static var noStreams: Streams { Streams() }
    private static var noAttributes: posix_spawnattr_t { posix_spawnattr_t() }
  #endif

  /// The environment that this process has, as `NAME=value`.
  package static var environment: [String] {
    ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
  }

  /// Starts the program at the path that is the first word, and returns its number. `flags` are those of `posix_spawn`;
  /// `streams` says what its standard streams are.
  ///
  /// Tests run on threads that block nearly all signals, which a child would inherit: it hears all of them.
  package static func start(
    _ words: [String], environment: [String] = environment, flags: Int16 = 0, streams: (inout Streams) -> Void
  ) throws -> pid_t {
    var actions = noStreams
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    streams(&actions)
    var attributes = noAttributes
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | flags)
    var pointers = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for pointer in pointers + variables { free(pointer) } }
    var process: pid_t = 0
    let result = posix_spawn(&process, words[0], &actions, &attributes, &pointers, &variables)
    if result != 0 { throw POSIXError(.init(rawValue: result) ?? .EIO) }
    return process
  }
}
