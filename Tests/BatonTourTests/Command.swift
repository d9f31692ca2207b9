import Foundation
import ProgramKit

/// One program that is running, with whatever it started itself: what is typed into it, what it prints, how it ends.
///
/// It has a process group of its own and is ended with all of it, so that nothing of a pipeline stays behind.
final class Command {
  private let process: pid_t
  private let keyboard: Int32
  private let screen: Int32
  private var isTyping = true
  private var printed: [UInt8] = []
  private var hasEnded = false

  /// How long a line or an end is waited for. Only what is broken takes so long.
  private static let patience = Duration.seconds(20)

  /// Starts a program with its arguments. What it says on standard error counts as printed.
  init(_ program: String, _ arguments: [String]) throws {
    let input = try PrivateStream()
    let output = try PrivateStream()
    keyboard = input.ours
    screen = output.ours
    defer {
      close(input.theirs)
      close(output.theirs)
    }
    do {
      process = try Child.start([program] + arguments, flags: Int16(POSIX_SPAWN_SETPGROUP)) { streams in
        posix_spawn_file_actions_adddup2(&streams, input.theirs, 0)
        posix_spawn_file_actions_adddup2(&streams, output.theirs, 1)
        posix_spawn_file_actions_adddup2(&streams, output.theirs, 2)
      }
    } catch {
      throw TourError("cannot start \(program): \(error.localizedDescription)")
    }
  }

  /// Starts a line of the shell.
  convenience init(shell line: String) throws { try self.init("/bin/bash", ["-c", line]) }

  /// Types a line. What has ended by itself takes none, and is then told by what it does not print.
  func type(_ line: String) {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
      let taken = rest.withUnsafeBytes { send(keyboard, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard taken > 0 else { return }
      rest = rest.dropFirst(taken)
    }
  }

  /// Ctrl-D: there is nothing more to type.
  func endInput() {
    if isTyping { close(keyboard) }
    isTyping = false
  }

  /// Ctrl-C: the signal goes to all of the pipeline.
  func interrupt() { kill(-process, SIGINT) }

  /// The next line that it prints.
  func nextLine() throws -> String {
    let end = ContinuousClock.now + Self.patience
    while true {
      if let feed = printed.firstIndex(of: 0x0A) {
        defer { printed.removeFirst(feed + 1) }
        return String(decoding: printed[..<feed], as: UTF8.self)
      }
      guard !hasEnded else { throw TourError("it has ended") }
      try read(until: end)
    }
  }

  /// Waits until all of the pipeline has ended, and returns what it printed that nobody has asked for.
  func rest() throws -> String {
    let end = ContinuousClock.now + Self.patience
    while !hasEnded { try read(until: end) }
    return String(decoding: printed, as: UTF8.self)
  }

  /// Ends all of the pipeline, whatever it does. To be called once, at last.
  func end() {
    // The group is ours until its first process is waited for.
    kill(-process, SIGKILL)
    waitpid(process, nil, 0)
    endInput()
    close(screen)
  }

  private func read(until end: ContinuousClock.Instant) throws {
    let left = Int32(max(0, (end - ContinuousClock.now) / .milliseconds(1)))
    var entry = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, left) > 0 else { throw TourError("nothing more came within \(Self.patience)") }
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let count = recv(screen, &bytes, bytes.count, 0)
    printed += bytes.prefix(max(0, count))
    hasEnded = count <= 0
  }
}
