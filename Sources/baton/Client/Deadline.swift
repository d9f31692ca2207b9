import ArgumentParser

/// Ends the program when the time is up, whatever it waits for.
enum Deadline {
  /// Ends the program after that time, with a line for people if one is given.
  static func end(after time: Duration, _ code: ExitCode, saying line: String?) {
    end(after: time, code) { if let line { talk(line) } }
  }

  /// The same, with what is done before.
  static func end(after time: Duration, _ code: ExitCode, _ tell: @escaping @Sendable () throws -> Void) {
    Task {
      try await Task.sleep(for: time)
      try? tell()
      BatonCommand.exit(withError: code)
    }
  }
}
