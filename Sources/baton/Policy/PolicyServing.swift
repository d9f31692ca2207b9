import ArgumentParser
import BatonClient
import Synchronization

/// Serves the link of rules, and `permit` where the chain has such a link.
struct PolicyServing: Sendable {
  private let rules: WatchedRules
  private let chain: String
  private let link: String

  /// The link behind a person: it permits what has come so far.
  private static let permit = "permit"

  init(_ rules: WatchedRules, chain: String, link: String) {
    (self.rules, self.chain, self.link) = (rules, chain, link)
  }

  func run(_ server: ServerOptions) async throws {
    var link = Link(link, in: chain)
    (link.isGuard, link.leavesTopics) = (true, true)
    let permit = PermitLink(server.baton(named: Self.permit), Self.permitting(in: chain))
    let baton = server.baton(named: self.link).reporting { talk("baton: \($0)") }
      .placing { [rules] taken in
        talk("baton: \(taken.link.chain)/\(taken.link.name) decides by \(rules.words)")
        if taken.isDeclared, taken.link.name != Self.permit { permit.start() }
      }
    let watching = Task { [rules] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        rules.look()
      }
    }
    defer { watching.cancel() }
    let serving = baton.handler(
      link,
      beginning: { message in
        let verdict = decide(message)
        return { verdict }
      })
    try await server.telling {
      let ending: RunEnding
      do {
        ending = try await serving.serve()
      } catch {
        await permit.end()
        throw error
      }
      await permit.end()
      if ending.isAtOnce { throw ExitCode.failure }
    }
  }

  private func decide(_ message: Message) -> Verdict {
    let (decision, name) = rules.decide(message.payload, isDoubtful: message.isDoubtful)
    let rule = decision.rule.map { "rule \($0) of \(name ?? "")" }
    switch decision.verdict {
    case .allow: return message.payload.map { .handled($0, message: rule) } ?? .reject(Self.nothing)
    case .ask: return rule.map { .continue(message: $0) } ?? .continue
    case .refuse(let words): return .reject(words, code: rule)
    }
  }

  private static let nothing = "there is no call to permit"

  /// The link `permit`. Who asks of whom is the file's: it is served only where the file declares it.
  private static func permitting(in chain: String) -> Link {
    var link = Link(permit, in: chain)
    link.leavesTopics = true
    return link
  }

  /// What has come to the end of the chain is permitted as it is, but not what is in doubt.
  fileprivate static func permit(_ message: Message) -> Verdict {
    if message.isDoubtful { return .reject("it is not clear what this call says, so nobody permits it") }
    return message.payload.map { .handled($0) } ?? .reject(nothing)
  }
}

/// The link `permit`, on a connection of its own: where the file declares none, the server refuses it, and nothing else.
private final class PermitLink: Sendable {
  private let baton: Baton
  private let link: Link
  private let state = Mutex(State())
  /// Whether the file declares the place that it has.
  private let isDeclared = Atomic(false)

  private struct State {
    var task: Task<Void, Never>?
    var client: Client?
    var isOver = false
  }

  init(_ baton: Baton, _ link: Link) { (self.baton, self.link) = (baton, link) }

  /// Takes the place, unless it has it.
  func start() {
    state.withLock { state in
      guard state.task == nil, state.client == nil, !state.isOver else { return }
      state.task = Task {
        let client = await self.connect()
        let isOver = self.state.withLock { state in
          (state.task, state.client) = (nil, client)
          return state.isOver
        }
        if isOver { await client?.drain() }
      }
    }
  }

  private func connect() async -> Client? {
    let plan = baton.placing { self.isDeclared.store($0.isDeclared, ordering: .relaxed) }
    do {
      let client = try await plan.handler(
        link,
        beginning: { message in
          // In a chain that others may enter, nobody has said that something is permitted here.
          let isDeclared = self.isDeclared.load(ordering: .relaxed)
          return { isDeclared ? PolicyServing.permit(message) : .reject("the file declares no such link") }
        }
      ).connect()
      if isDeclared.load(ordering: .relaxed) { return client }
      await client.drain()
    } catch let error as BatonError where error.code == "not_allowed" && !"\(error)".contains("needs \"serve") {
      // The chain has no such link.
    } catch {
      talk("baton: \(link.chain)/\(link.name) is not served: \(error)")
    }
    return nil
  }

  /// Answers what it has got, and leaves.
  func end() async {
    let (task, client) = state.withLock { state in
      state.isOver = true
      return (state.task, state.client)
    }
    await task?.value
    await client?.drain()
  }
}
