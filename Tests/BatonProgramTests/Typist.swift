import Foundation
import ProgramKit
import Testing

/// Somebody at a shell on a terminal of its own.
final class Typist {
  /// What was shown and is not read yet.
  private(set) var shown = ""
  private let terminal: Terminal
  private let child: Child

  /// Starts a shell with these words. `environment` (`NAME=value`) comes before what it inherits.
  init(_ shell: [String], environment: [String], columns: Int = 100, rows: Int = 24) throws {
    let terminal = try Terminal(columns: columns, rows: rows)
    self.terminal = terminal
    child = try Child(
      ["/usr/bin/env"] + environment + shell, environment: Child.environment, leading: .session
    ) { streams in
      posix_spawn_file_actions_addopen(&streams, 0, terminal.name, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&streams, 0, 1)
      posix_spawn_file_actions_adddup2(&streams, 0, 2)
    }
  }

  func type(_ text: String) { terminal.type(text) }

  /// Reads until `text` is shown, and returns what stood before it.
  @discardableResult func see(_ text: String, at place: SourceLocation = #_sourceLocation) -> String {
    while true {
      if let found = shown.unicodeScalars.firstRange(of: text.unicodeScalars) {
        let before = String(shown.unicodeScalars[..<found.lowerBound])
        shown = String(shown.unicodeScalars[found.upperBound...])
        return before
      }
      guard let part = terminal.readPart() else { break }
      shown += String(decoding: part, as: UTF8.self)
    }
    Issue.record("\(text) is not shown: \(shown)", sourceLocation: place)
    return shown
  }
}
