import ArgumentParser
import BatonClient

/// Where in a chain a link goes; at most one of these is given.
struct PlaceOptions: ParsableArguments {
  @Option(help: "At the front or at the back, where a new link stands if nothing is said.")
  var at: End?

  @Option(
    help: ArgumentHelp("Before this link.", valueName: "link"), completion: Completing.link, transform: SaidWords.name)
  var before: String?

  @Option(
    help: ArgumentHelp("After this link.", valueName: "link"), completion: Completing.link, transform: SaidWords.name)
  var after: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("At this rank; links are in the order of their ranks.", valueName: "number"))
  var rank: Double?

  /// One end of a chain.
  enum End: String, ExpressibleByArgument, CaseIterable {
    case front, back
  }

  /// The given places; at most one, once it is validated.
  var said: [Link.Place] {
    let end: Link.Place? = at.map { $0 == .front ? .front : .back }
    return [end, before.map { .before($0) }, after.map { .after($0) }, rank.map { .rank($0) }].compactMap { $0 }
  }

  func validate() throws {
    if said.count > 1 { throw ValidationError("only one of --at, --before, --after and --rank can be given") }
    if let rank, !(rank.magnitude <= 1e9) {
      throw ValidationError("--rank must be a number from -1000000000 to 1000000000")
    }
  }

  /// Adds the given place.
  func add(to members: inout RequestMembers) throws {
    members.add("at", text: at?.rawValue)
    members.add("before", text: before)
    members.add("after", text: after)
    members.add("rank", try rank.map { try Payload($0) })
  }
}
