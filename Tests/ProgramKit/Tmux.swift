import Foundation

/// The real program in tmux, which shows what a terminal that keeps to the standard shows: a judge that is not ours. It is
/// driven by lines (`tmux -C`): each change of what is shown is one.
package final class Tmux {
  private let program: Program
  /// What is shown has changed since it was last looked at.
  private var hasChanged = true

  /// False, and a word, where there is no tmux.
  package static var isInstalled: Bool {
    let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    if places.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/tmux") }) { return true }
    print("tmux is not installed: what a terminal shows was not tried")
    return false
  }

  /// Runs these words on a terminal of that size.
  package init(_ words: [String], columns: Int, rows: Int, environment: [String] = []) throws {
    program = try Program(
      ["tmux", "-L", "baton-\(UUID().uuidString)", "-f", "/dev/null", "-C", "new-session"]
        + ["-x", "\(columns)", "-y", "\(rows)"] + words,
      environment: environment + ["LC_ALL=C.UTF-8", "TERM=xterm", "TMUX="], path: "/usr/bin/env", hasInput: true)
    _ = answer()
    _ = ask("refresh-client -C \(columns)x\(rows)")
  }

  deinit {
    program.type("kill-server\n")
    _ = program.wait()
  }

  /// The lines that are shown now.
  package var lines: [String] {
    hasChanged = false
    return ask("capture-pane -p")
  }

  /// Waits until what is shown is as wanted; false if that takes too long.
  package func sees(_ isWanted: ([String]) -> Bool) -> Bool {
    while !isWanted(lines) {
      while !hasChanged { guard take() != nil else { return false } }
    }
    return true
  }

  /// Waits until a line shows `text`.
  package func sees(_ text: String) -> Bool { sees { $0.contains { $0.contains(text) } } }

  /// Types keys as tmux calls them: `q`, `C-z`, `Enter`.
  package func press(_ keys: String...) { _ = ask("send-keys " + keys.joined(separator: " ")) }

  /// Asks tmux for something, and returns the lines of its answer.
  private func ask(_ command: String) -> [String] {
    program.type(command + "\n")
    return answer()
  }

  private func answer() -> [String] {
    while let line = take() {
      guard line.hasPrefix("%begin ") else { continue }
      var lines: [String] = []
      while let line = program.line(), !line.hasPrefix("%end "), !line.hasPrefix("%error ") { lines.append(line) }
      return lines
    }
    return []
  }

  /// The next line of tmux itself.
  private func take() -> String? {
    let line = program.line()
    if line?.hasPrefix("%output ") == true { hasChanged = true }
    return line
  }
}
