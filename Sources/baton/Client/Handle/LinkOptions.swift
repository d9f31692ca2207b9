import ArgumentParser
import BatonClient

/// Where a handler stands, and how it is asked.
struct LinkOptions: ParsableArguments {
  @Option(help: "The chain.")
  var chain = "main"

  @OptionGroup
  var place: PlaceOptions

  @Option(
    help: ArgumentHelp("How long one offer may take: 500ms, 5s, 2m. (default: a fair share)", valueName: "time"),
    transform: SpokenTime.duration)
  var timeout: Duration?

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

  @Option(
    help: ArgumentHelp("Keep the place for so long when the connection is lost.", valueName: "time"),
    transform: SpokenTime.duration)
  var hold: Duration?

  @Flag(help: "Never give the place up when the connection is lost: messages fail there meanwhile.")
  var required = false

  @Flag(help: "Only look on: get copies, and be compared with what really happened.")
  var shadow = false

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
    link.place = place.said.first
    link.timeout = timeout
    link.window = window ?? standard
    link.onFailure = onFailure
    link.isShared = share
    link.hold = hold
    link.isRequired = required
    link.isShadow = shadow
    return link
  }
}
