import Foundation
import ProgramKit
import Testing

/// Takes the tour with netcat, with the real program and real netcats.
@Suite struct TourTests {
  @Test(.enabled(if: isLinux, "OpenBSD's netcat is Debian's and Ubuntu's nc; elsewhere the README says ncat"))
  func withNetcatOfOpenBSD() throws { try take(with: .openBSD) }

  @Test func withNcat() throws { try take(with: .ncat) }

  private static let isLinux: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()

  private func take(with netcat: Netcat) throws {
    try netcat.require()
    let tour = try Tour(page: Page.text("Docs/tutorial.md"))
    #expect(Set(tour.steps.map(\.terminal)) == [1, 2, 3], "the tour is one of three terminals")
    let server = try RunningServer()
    var terminals: [Int: Program] = [:]
    for step in tour.steps {
      do {
        try take(step, with: netcat, in: &terminals[step.terminal], port: server.port)
      } catch {
        Issue.record("tutorial.md:\(step.line), terminal \(step.terminal): \(error)")
        return
      }
    }
    for (terminal, command) in terminals {
      #expect(command.remainingLines() == [], "terminal \(terminal) prints more than the page shows")
    }
  }

  private func take(_ step: Tour.Step, with netcat: Netcat, in terminal: inout Program?, port: String) throws {
    if case .command(let shown) = step.action {
      guard terminal == nil else { throw TourError("another command still runs here") }
      terminal = try Program(shell: netcat.command(shown, port: port))
      return
    }
    guard let running = terminal else { throw TourError("no command runs here") }
    switch step.action {
    case .command: break
    case .types(let line):
      running.type(line + "\n")
    case .prints(let shown):
      guard let printed = running.line() else { throw TourError("nothing more is printed") }
      guard Tour.isSame(printed, asShown: shown) else { throw TourError("shown:   \(shown)\nprinted: \(printed)") }
    case .interrupts:
      netcat.leave(running)
      let rest = running.remainingLines()
      guard rest.isEmpty else { throw TourError("more is printed than the page shows: \(rest)") }
      terminal = nil
    }
  }
}
