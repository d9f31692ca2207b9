import BatonCore

/// One version of a chain, as an observer saw it.
struct Sight {
  let chain: String
  /// Nil for a chain without links.
  let version: Int?
  /// The links in their order. Mounts have a name of their own, see `ServerLine.linkName`.
  let links: [String]
  /// The links that no message passes without their verdict, by what the operator's file said then.
  let guards: [String]
  /// The call of the core after which it was seen.
  let call: Int
}

/// One message that has ended, as its offers and its result tell it.
struct Walked {
  /// One step of a trace.
  struct Step {
    let chain: String
    let link: String
    /// Nil for a link that was skipped.
    let outcome: String?
    let isAgain: Bool

    var hasPassed: Bool { outcome == "continue" || outcome == "handled" }
    /// Whether the link was asked; otherwise it failed the message without an offer, or was skipped.
    var wasAsked: Bool { outcome != nil && outcome != "breaker" && outcome != "overload" }
  }

  let walk: Int
  let status: String
  /// The version of its first chain; nil without a trace, and for a chain without links.
  let version: Int?
  /// Nil if the sender wanted no trace.
  let trace: [Step]?
  let isTruncated: Bool
  /// What handlers were asked, in order.
  let offers: [Step]
  /// The call of the core before which the message was sent.
  let sentAt: Int

  /// Whether it came to the end of each chain that it entered.
  var passedAll: Bool { (status == "unhandled" || status == "published") && !isTruncated }
}

extension ServerLine {
  /// The link of an offer, or of an entry of a trace or an explanation. No handler has the name of a mount.
  var linkName: String? { string(.handler) ?? string(.mount).map { "mount of \($0)" } }

  func isTrue(_ member: Member) -> Bool { raw(member)?.elementsEqual("true".utf8) ?? false }

  /// The objects of an array; none if the member is not there.
  func elements(_ member: Member) -> [ServerLine] { (raw(member).flatMap { try? LineReader.elements($0) }) ?? [] }
}
