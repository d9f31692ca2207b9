internal import BatonCore

/// One offer without a server, for tests of handlers (`Handler.offer`).
struct Trial {
  /// The offer, as a server would write it.
  private let offer: ServerLine

  /// The line has what is said of the message. Throws `BatonError` where no server would make this offer.
  init(_ link: Link, _ topic: String, isNotice: Bool, _ members: (inout RequestLine) throws -> Void) throws {
    try link.check()
    try Names.check(topic: topic)
    guard link.accepts.contains(where: { matches(topic: topic, pattern: $0) }) else {
      let accepted = link.accepts.joined(separator: ", ")
      throw BatonError.refused(
        code: "bad_topic", message: "\(link.name) is not offered \(topic), because it accepts \(accepted)")
    }
    var line = RequestLine(isNotice ? "notice" : "offer")
    if !isNotice { line.add("id", 1) }
    line.add("walk", 1)
    line.add("chain", text: link.chain)
    line.add("handler", text: link.name)
    line.add("topic", text: topic)
    try members(&line)
    guard let offer = ServerLine(Array(line.ended.dropLast())) else {
      throw BatonError.refused(code: "too_deep", message: "the payload is nested too deep")
    }
    self.offer = offer
  }

  /// What the handler answers. What goes wrong in it is `failed`, with the words that the sender would get.
  nonisolated(nonsending) func verdict(
    of body: @Sendable (Message) -> @Sendable () async throws -> Verdict, working: @escaping @Sendable () -> Void
  ) async -> Verdict {
    do {
      return try await body(Message(offer) { working() })().made
    } catch {
      return .failed(firstLine(words(of: error)))
    }
  }
}
