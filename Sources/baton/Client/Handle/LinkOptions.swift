import ArgumentParser
import BatonClient
import BatonCore

/// The place of a handler, and the settings of its link.
struct LinkOptions: ParsableArguments {
  @Option(help: "The chain.", completion: Completing.chain, transform: SaidWords.name)
  var chain = "main"

  @OptionGroup
  var place: PlaceOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long one offer may take: 500ms, 5s, 2m. (default: a fair share)",
      valueName: "time"),
    transform: { .milliseconds(try SpokenTime.allowance($0)) })
  var timeout: Duration?

  @Option(
    help: ArgumentHelp(
      "How many offers may be open at once. (default: the number of jobs, 16 with a web service, 10 for a person)",
      valueName: "count"
    ),
    transform: SaidWords.whole)
  var window: Int?

  @Option(
    help: ArgumentHelp(
      """
      What a failure means. continue: the next link is asked. stop: the sender gets failed. A list such as \
      timeout=stop,failed=stop sets it per cause: timeout, disconnect, failed, overload, breaker. (default: continue)
      """, valueName: "stop|continue"),
    transform: LinkOptions.policy)
  var onFailure: Link.FailurePolicy?

  @Flag(help: "Share the link with other handlers of the same name; all of them need --share.")
  var share = false

  @Flag(help: "Take the place over from the handler of this name, which then ends; it stays where it was.")
  var replace = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to keep the place when the connection is lost.", valueName: "time"),
    transform: SpokenTime.duration)
  var hold: Duration?

  @Flag(help: "Keep the place for ever when the connection is lost; messages fail there meanwhile.")
  var required = false

  @Flag(
    help: """
      Let no message pass without this handler's verdict: --required, --on-failure stop, and --at front unless a place \
      is given.
      """)
  var `guard` = false

  @Flag(help: "Only get copies; the server counts how often the verdicts agree with the outcome.")
  var shadow = false

  @Option(
    help: ArgumentHelp(
      "Take a part of the messages only, by their keys: 5 for five of a hundred. (default: all)", valueName: "number"),
    transform: SaidWords.whole)
  var percent: Int?

  @Option(
    help: ArgumentHelp(
      "Take a message only if it fits this condition, or may fit it: {\"payload\":{\"tool\":[\"shell\"]}}; baton when tries it.",
      valueName: "condition"),
    transform: SaidWords.condition)
  var when: Payload?

  func validate() throws {
    try SaidWords.check(window, "--window", isIn: MemberRange.window)
    try SaidWords.check(percent, "--percent", isIn: MemberRange.percent)
    guard `guard` else { return }
    if percent ?? 100 < 100 {
      throw ValidationError("--guard and --percent exclude each other: the other messages would pass")
    }
    if shadow { throw ValidationError("--guard and --shadow exclude each other: a shadow decides nothing") }
    if let onFailure, onFailure != .stop {
      throw ValidationError("--guard stops at every failure; leave out --on-failure, or leave out --guard")
    }
  }

  /// Whether it may stop messages, as far as this command says. What `--replace` takes over brings its own policy.
  var mayStop: Bool { `guard` || replace || onFailure ?? .continue != .continue }

  /// Whether the place stays while nobody serves it, and whether it does so for ever.
  var isKept: Bool { staysForEver || (hold ?? .zero) > .zero }
  var staysForEver: Bool { `guard` || required }

  private static func policy(_ text: String) throws -> Link.FailurePolicy {
    switch text {
    case "stop": return .stop
    case "continue": return .continue
    default: break
    }
    var causes: [String: Bool] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2, !words[0].isEmpty, ["stop", "continue"].contains(words[1]) else {
        throw ValidationError("\"\(text)\" is not a policy; write stop, continue, or a list such as timeout=stop")
      }
      causes[String(words[0])] = words[1] == "stop"
    }
    return .perCause(causes)
  }

  /// The link of that name.
  func link(_ name: String, accepts: [String], window standard: Int?) -> Link {
    var link = Link(name, in: chain, accepts: accepts)
    link.place = place.said.first
    link.timeout = timeout
    link.window = window ?? standard
    link.onFailure = onFailure
    link.isShared = share
    link.hold = hold
    link.isRequired = required
    link.isShadow = shadow
    link.percent = percent
    link.when = when
    link.isGuard = `guard`
    link.takesOver = replace
    return link
  }
}
