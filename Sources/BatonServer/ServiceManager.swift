#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What the environment says of a service manager, systemd for instance, that started this process and wants to know how
/// it is.
public struct ServiceManager: Equatable, Sendable {
  /// The path of its socket; `@` begins a name without a file.
  public let socket: String
  /// Within how many microseconds it wants to hear something, again and again; nil if it does not.
  public let watchdogMicroseconds: Int64?

  /// Takes what the environment says out of it, so that programs which this one starts do not find it. Nil if there is no
  /// such manager.
  public static func takeFromEnvironment() -> ServiceManager? {
    let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
    let values = names.map { name in getenv(name).map { String(cString: $0) } }
    for name in names { unsetenv(name) }
    guard let socket = values[0], socket.hasPrefix("/") || socket.hasPrefix("@") else { return nil }
    // The watchdog may be meant for another process.
    let isMeant = values[2].map { Int32($0) == getpid() } ?? true
    let wait = values[1].flatMap { Int64($0) }.flatMap { isMeant && $0 > 1 ? $0 : nil }
    return ServiceManager(socket: socket, watchdogMicroseconds: wait)
  }
}
