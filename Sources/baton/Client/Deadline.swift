import ArgumentParser

/// Ends the program when the time is up, whatever it waits for.
enum Deadline {
  /// Ends the program after that time, with a line for people if one is given.
  static func end(after time: Duration, _ code: ExitCode, saying line: String?) {
    Task {
      try await Task.sleep(for: time)
      if let line { talk(line) }
      BatonCommand.exit(withError: code)
    }
  }
}
