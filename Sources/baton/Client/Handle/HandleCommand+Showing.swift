import BatonClient

/// Who is told of messages and their verdicts.
extension HandleCommand {
  /// Whether a person sees a line for each message.
  var showsMessages: Bool { server.form == .people }

  /// The same body, but each message is printed: for a person with its verdict, else if that was asked for, or if there is no
  /// program.
  func shown(_ body: @escaping Baton.HandlerBody) -> Baton.HandlerBody {
    let body = checked(body)
    if showsMessages { return MessageLine.shown(body) }
    guard server.json || !answers.isEmpty else { return body }
    let isJSON = server.json
    return { message in
      if isJSON {
        say(json: message.line.bytes)
      } else {
        say(message.topic.displaySafe + (message.payload.map { "\t\($0.seen)" } ?? ""))
      }
      let conclusion = body(message)
      guard isJSON, let id = message.id else { return conclusion }
      return {
        let verdict = try await conclusion()
        if let line = try? verdict.line(for: id) { say(json: line.dropLast()) }
        return verdict
      }
    }
  }

  /// The same body, but a verdict that the server does not take is `failed` before anybody sees it, and this is told.
  private func checked(_ body: @escaping Baton.HandlerBody) -> Baton.HandlerBody {
    let tells = !showsMessages
    return { message in
      let conclusion = body(message)
      return {
        let verdict = try await conclusion()
        guard let fault = verdict.fault(for: message) else { return verdict }
        if tells { talk("\(message.words): failed: \(fault)") }
        return .failed(fault)
      }
    }
  }
}
