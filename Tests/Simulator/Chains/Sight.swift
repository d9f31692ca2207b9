import BatonCore
import WorldKit

/// One version of a chain, as an observer saw it.
struct Sight {
  let chain: String
  /// Nil for a chain without links.
  let version: Int?
  /// The links in their order. Mounts have a name of their own, see `SaidLine.linkName`.
  let links: [String]
  /// What the configuration file said then of the links that it declares.
  let declared: [String: DeclaredLink]
  /// The call of the core after which it was seen.
  let call: Int

  /// Whether this message does not pass the link without its verdict.
  func isGuard(_ link: String, for walked: Walked) -> Bool {
    guard let said = declared[link], said.isRequired, said.onFailure == .stop, !said.isShadow, !said.isMount else {
      return false
    }
    return said.accepts(walked.topic) && walked.bucket < said.percent && said.answer(to: walked) != .no
  }
}

extension DeclaredLink {
  /// The name that is in a `Sight`.
  var linkName: String { isMount ? "mount of \(name)" : name }

  /// What its condition answers.
  func answer(to walked: Walked) -> PlainCondition.Expected { PlainCondition(of: self)?.answer(to: walked) ?? .fits }

  /// Whether the link is for the topic (contract, section 3, patterns).
  func accepts(_ topic: String) -> Bool {
    let words = topic.split(separator: ".")
    return accepts.contains { pattern in
      let parts = pattern.split(separator: ".")
      let isOpen = parts.last == ">"
      let fixed = isOpen ? parts.dropLast() : parts[...]
      guard isOpen ? words.count > fixed.count : words.count == fixed.count else { return false }
      return zip(fixed, words).allSatisfy { $0 == "*" || $0 == $1 }
    }
  }
}

/// One message that has ended, as its offers and its result tell it.
struct Walked {
  /// One step of a trace.
  struct Step {
    let chain: String
    let link: String
    /// Nil for a link that was skipped.
    let outcome: String?
    /// Why a link was skipped.
    var skipped: String?
    let isAgain: Bool
    /// Whether it was asked in doubt.
    let isDoubtful: Bool
    /// Whether it was in a stage: steps there are in the order in which they ended.
    let isTogether: Bool
    /// How many messages led to the one that it was asked for; a trace does not say it.
    var within = 0

    /// Whether its handler let the message on, as far as is known: an offer does not tell what came of it.
    var hasPassed: Bool { outcome == "continue" || outcome == "handled" || outcome == Step.offered }
    static let offered = "offered"
    /// Whether the link was asked; otherwise it failed the message without an offer, or was skipped.
    var wasAsked: Bool { outcome != nil && outcome != "breaker" && outcome != "overload" }
  }

  let walk: Int
  let status: String
  /// The chain that it was sent to, and its topic.
  let chain: String
  let topic: String
  let key: String?
  let within: Int
  /// Which part of the messages it is in (contract, section 5, `percent`).
  let bucket: Int
  /// The version of its first chain; nil without a trace, and for a chain without links.
  let version: Int?
  /// Nil if the sender wanted no trace.
  let trace: [Step]?
  let isTruncated: Bool
  /// What handlers were asked, in order.
  let offers: [Step]
  /// The calls of the core before the message came.
  let cameAt: Int

  /// Whether it came to the end of each chain that it entered.
  var passedAll: Bool { (status == "unhandled" || status == "published") && !isTruncated }
}

extension SaidLine {
  /// The link of an offer, or of an entry of a trace or an explanation. No handler has the name of a mount.
  var linkName: String? { text("handler") ?? text("mount").map { "mount of \($0)" } }
}
