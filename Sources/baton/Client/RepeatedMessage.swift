import ArgumentParser
import BatonClient

/// Sends the same message again and again, one after the other, and prints each result as it comes.
struct RepeatedMessage {
  let sender: MessageSender
  let members: RequestMembers
  let topic: String
  let options: RepeatOptions
  let form: OutputForm

  /// Ends when all have their results, or at Ctrl-C. Throws the exit code of the first that was not handled.
  func run(_ interrupt: Interrupt) async throws {
    let clock = ContinuousClock()
    var results = ManyResults(topic: topic, unit: "message", form, mayAskForWalks: await sender.maySeeSomeChain)
    defer { results.end() }
    var left = options.count ?? .max
    while left > 0 {
      let start = clock.now
      let outcome = try await sender.beginOneAmongMany(members).value
      try results.add(outcome, after: clock.now - start)
      if await interrupt.hasCome { throw ExitCode.interrupted }
      left -= 1
      guard left > 0, let interval = options.interval else { continue }
      try await clock.sleep(until: start + interval)
    }
    if let code = results.firstFault { throw code }
  }
}
