import ArgumentParser
import BatonClient

/// The dead letters with which something is done: those that are named, or all that a filter means.
struct DeadChoice: ParsableArguments {
  @Argument(help: "Their names; baton dead list shows them.", completion: Completing.deadLetter)
  var names: [String] = []

  @Flag(help: "All dead letters, or all that --chain, --topic and --cause choose. You are asked first.")
  var all = false

  @OptionGroup var filter: DeadFilter

  @Flag(help: "With --all: do not ask.")
  var yes = false

  func validate() throws {
    if all != names.isEmpty {
      throw ValidationError(
        all ? "give names or --all, not both" : "give the names of dead letters, or --all; baton dead list shows them")
    }
    if !all, !filter.isEmpty || yes {
      throw ValidationError("--chain, --topic, --cause and --yes are for --all; add it, or leave them out")
    }
    if all, !yes, !(Terminal.isInput && Terminal.isTalk) {
      throw ValidationError("--all asks before it does something, and nobody can be asked here; add --yes")
    }
  }

  /// How many of them are under way at once.
  private static let most = 32

  /// Asks the server something for each of them, in their order, and tells its replies. `verb` and `done` are for people.
  /// Throws where one of them was refused.
  func each(
    of client: Client, _ server: ServerOptions, _ verb: String, _ done: String,
    begin: (String) async throws -> Pending, tell: (String, Payload) throws -> Void
  ) async throws {
    let chosen = all ? try await filter.all(of: client).map(\.stored) : names
    guard try await isWanted(chosen.count, verb, server) else { throw ExitCode.failure }
    var count = 0
    var fault: BatonError?
    for start in stride(from: 0, to: chosen.count, by: DeadChoice.most) {
      var begun: [(String, Result<Pending, BatonError>)] = []
      for name in chosen[start..<min(start + DeadChoice.most, chosen.count)] {
        do {
          begun.append((name, .success(try await begin(name))))
        } catch let error as BatonError {
          begun.append((name, .failure(error)))
        }
      }
      for (name, pending) in begun {
        do {
          try tell(name, try await pending.get().reply)
          count += 1
        } catch let error as BatonError {
          fault = fault ?? error
          try server.complain(error.code, "\(name): \(error)")
        }
      }
    }
    if all || chosen.count > 1 {
      let rest = chosen.count > count ? "; \(chosen.count - count) could not be" : ""
      talk("\(counted(count, "dead letter was", "dead letters were")) \(done)\(rest)")
    }
    if let fault { throw fault.exitCode }
  }

  /// Whether a person who means all of them still does when the number is known.
  private func isWanted(_ count: Int, _ verb: String, _ server: ServerOptions) async throws -> Bool {
    guard all, !yes, count > 0 else { return true }
    let which = filter.isEmpty ? "" : " \(filter.words)"
    let what = count == 1 ? "1 dead letter" : "\(Figures.count(count)) dead letters"
    let place = server.chosen == nil ? "" : " at \(server.namedPlace)"
    talk("\(verb) \(what)\(which)\(place)? y and Enter: yes; anything else: no")
    let answer = try await StandardInput.line().map { String(decoding: $0, as: UTF8.self) } ?? ""
    if ["y", "yes"].contains(answer.lowercased()) { return true }
    talk("nothing was done")
    return false
  }
}
