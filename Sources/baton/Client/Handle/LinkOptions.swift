import ArgumentParser
import BatonClient

/// Where a handler stands, and how it is asked.
struct LinkOptions: ParsableArguments {
  @Option(help: "The chain.")
  var chain = "main"

  @Option(help: ArgumentHelp("At an end of the chain, the back if nothing is said.", valueName: "front|back"))
  var at: End?

  @Option(help: ArgumentHelp("In front of this link of the chain.", valueName: "link"))
  var before: String?

  @Option(help: ArgumentHelp("Behind this link of the chain.", valueName: "link"))
  var after: String?

  @Option(help: "At this rank; lower ranks are asked first.")
  var rank: Double?

  @Option(help: ArgumentHelp("How long one offer may take: 500ms, 5s, 2m. (default: a fair share)", valueName: "time"))
  var timeout: TimeArgument?

  @Option(help: ArgumentHelp("Offers that may be open at once. (default: as many as jobs)", valueName: "count"))
  var window: Int?

  @Option(
    help: ArgumentHelp(
      """
      What a failure means for the message: the next link is asked, or the sender is told. A list of cause=stop says \
      it for timeout, disconnect, failed, overload and breaker apart. (default: continue)
      """, valueName: "stop|continue"),
    transform: LinkOptions.policy)
  var onFailure: Link.FailurePolicy?

  @Flag(help: "Serve the link together with others of the same name, all with --share.")
  var share = false

  @Option(help: ArgumentHelp("Keep the place for so long when the connection is lost.", valueName: "time"))
  var hold: TimeArgument?

  @Flag(help: "Never give the place up when the connection is lost: messages fail there meanwhile.")
  var required = false

  @Flag(help: "Only look on: get copies, and be compared with what really happened.")
  var shadow = false

  /// An end of the chain.
  enum End: String, ExpressibleByArgument, CaseIterable {
    case front, back
  }

  private var places: [Link.Place] {
    let end: Link.Place? = at.map { $0 == .front ? .front : .back }
    return [end, before.map { .before($0) }, after.map { .after($0) }, rank.map { .rank($0) }].compactMap { $0 }
  }

  func validate() throws {
    guard places.count <= 1 else { throw ValidationError("say one of --at, --before, --after and --rank") }
    if let rank, !rank.isFinite { throw ValidationError("--rank is a number") }
  }

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
        throw ValidationError("\"\(text)\" is no policy; write stop, continue, or a list such as timeout=stop")
      }
      causes[String(words[0])] = words[1] == "stop"
    }
    return .perCause(causes)
  }

  /// The link of that name.
  func link(_ name: String, accepts: [String], window standard: Int?) -> Link {
    var link = Link(name, in: chain, accepts: accepts)
    link.place = places.first
    link.timeout = timeout?.duration
    link.window = window ?? standard
    link.onFailure = onFailure
    link.isShared = share
    link.hold = hold?.duration
    link.isRequired = required
    link.isShadow = shadow
    return link
  }
}
