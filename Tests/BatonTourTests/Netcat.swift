import Foundation
import ProgramKit
import Testing

/// The two netcats that the README speaks of. They leave in different ways. OpenBSD's stays connected when its input
/// ends, unless it is told `-N`; ncat then ends its side by itself.
enum Netcat: String {
  case openBSD = "nc"
  case ncat

  /// The README's command for this netcat, with the port that the server really has.
  func command(_ shown: String, port: String) -> String {
    let command = shown.replacing("22866", with: port)
    return self == .openBSD ? command : command.replacing(/\bnc( -N)?\b/, with: "ncat")
  }

  /// Leaves the server as a person would.
  func leave(_ command: Program) {
    switch self {
    case .openBSD: command.interrupt()
    case .ncat: command.endInput()
    }
  }

  /// Fails the test if this netcat is not installed, and says what to do.
  func require() throws {
    let asked = try Program(shell: self == .openBSD ? "nc -h" : "ncat --version")
    let answer = asked.remainingLines().joined()
    switch self {
    case .openBSD:
      try #require(
        answer.contains("OpenBSD netcat"),
        "nc is not OpenBSD's netcat here; install it: apt-get install netcat-openbsd (Scripts/test does that)")
    case .ncat:
      try #require(
        answer.contains("Ncat:"), "ncat is missing; install it: apt-get install ncat (Scripts/test does that)")
    }
  }
}
