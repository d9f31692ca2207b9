import BatonClient

/// Asks the chain about one question.
struct HookAsking: Sendable {
  /// What the agent is told.
  enum Verdict: Sendable {
    /// The line for standard output; empty: none.
    case yes(String)
    /// The sentence, in which form it is said, and whether the question is not that form's.
    case no(String, HookForm?, isForeign: Bool)
  }

  private let agent: HookAgent
  private let options: HookOptions

  init(_ agent: HookAgent, _ options: HookOptions) { (self.agent, self.options) = (agent, options) }

  /// The verdict on the question at standard input.
  func verdict() async -> Verdict {
    let question: HookQuestion
    do throws(HookQuestion.Fault) {
      let bytes: [UInt8]
      do { bytes = try HookReading.question() } catch { throw HookQuestion.Fault(words: error.words) }
      question = try HookQuestion(bytes, agent)
    } catch {
      return .no(HookJudge.broken(error.words), error.asker ?? agent.form, isForeign: error.isForeign)
    }
    do {
      let result = try await send(question)
      guard let sentence = HookJudge(options).refusal(result.line, question) else {
        return .yes(options.allow ? agent.yesUnasked ?? agent.yes : agent.yes)
      }
      return .no(sentence, agent.form, isForeign: false)
    } catch {
      return .no(HookJudge.broken(error.description), agent.form, isForeign: false)
    }
  }

  private func send(_ question: HookQuestion) async throws(BatonError) -> SendResult {
    let limit = Duration.seconds(5)
    var baton = Baton(at: options.server).named("hook.\(agent.form.rawValue)").patience(limit).attempt(limit)
    if let file = options.tokenFile { baton = baton.tokenFile(file) }
    if let file = options.tlsCa { baton = baton.ca(file) }
    do {
      let client = try await baton.connect()
      return try await client.send(
        question.topic, try Payload(json: String(decoding: question.payload, as: UTF8.self)),
        meta: try Payload(json: String(decoding: question.meta, as: UTF8.self)), chain: options.chain,
        timeout: .milliseconds(options.wait))
    } catch let error as BatonError {
      throw error
    } catch {
      throw .unreachable("\(error)")
    }
  }
}
