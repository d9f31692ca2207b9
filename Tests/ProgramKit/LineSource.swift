#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lines from a descriptor, which it owns.
final class LineSource {
  let descriptor: Int32
  private var bytes: [UInt8] = []
  /// True once the other side has ended, or the connection broke.
  private(set) var hasEnded = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The next line without its LF; nil at the end, after an error, or when nothing comes for too long.
  func line() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { bytes.removeSubrange(...end) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      guard Self.poll([self], milliseconds: Program.patience), readPart() else { return nil }
    }
  }

  /// The lines that are there already, without waiting for more.
  func linesAtHand() -> [String] {
    while Self.poll([self], milliseconds: 0), readPart() {}
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    defer { bytes.removeSubrange(...end) }
    return bytes[..<end].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits until one of them has a line, a part of one, or its end; false if none has for too long.
  static func wait(for sources: [LineSource]) -> Bool {
    sources.contains { $0.bytes.contains(UInt8(ascii: "\n")) } || poll(sources, milliseconds: Program.patience)
  }

  /// Reads all of them to their ends, as they come: who writes to one waits while it is full. What comes is dropped.
  static func readToTheEnds(of sources: [LineSource]) {
    while case let open = sources.filter({ !$0.hasEnded }), !open.isEmpty, poll(open, milliseconds: Program.patience) {
      for source in open where poll([source], milliseconds: 0) {
        _ = source.readPart()
        source.bytes = []
      }
    }
  }

  /// Waits until this one has something, or its end; false if one of the others has ended first, or nothing comes for
  /// too long.
  func waitForSomething(orEndOf others: [LineSource]) -> Bool {
    if bytes.contains(UInt8(ascii: "\n")) { return true }
    var wanted = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    wanted += others.map { pollfd(fd: $0.descriptor, events: endEvents, revents: 0) }
    #if canImport(Darwin)
      guard Darwin.poll(&wanted, nfds_t(wanted.count), Program.patience) > 0 else { return false }
    #else
      guard Glibc.poll(&wanted, nfds_t(wanted.count), Program.patience) > 0 else { return false }
    #endif
    return wanted[0].revents != 0
  }

  private static func poll(_ sources: [LineSource], milliseconds: Int32) -> Bool {
    var wanted = sources.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while true {
      #if canImport(Darwin)
        let ready = Darwin.poll(&wanted, nfds_t(wanted.count), milliseconds)
      #else
        let ready = Glibc.poll(&wanted, nfds_t(wanted.count), milliseconds)
      #endif
      // A signal that the test's process got says nothing about the program.
      if ready >= 0 || errno != EINTR { return ready > 0 }
    }
  }

  /// Reads once; false at the end.
  private func readPart() -> Bool {
    var part = [UInt8](repeating: 0, count: 65536)
    let count = read(descriptor, &part, part.count)
    guard count > 0 else {
      hasEnded = true
      return false
    }
    bytes += part[..<count]
    return true
  }
}

/// What tells of an end though there are bytes to be read before it. Darwin tells only of a connection that is broken.
#if canImport(Darwin)
  private let endEvents: Int16 = 0
#else
  // POLLRDHUP, which glibc shows only to C programs that define _GNU_SOURCE.
  private let endEvents: Int16 = 0x2000
#endif
