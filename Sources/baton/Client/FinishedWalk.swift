/// A walk that has ended, as the server describes it to subscribers of `$baton.trace`, and to those who ask for the
/// walks that it keeps.
struct FinishedWalk: Decodable {
  let walk: Int
  let chain: String
  let topic: String
  let from: String
  /// Nil if no more than its status may be seen.
  let totalMicroseconds: Int?
  /// How long ago it ended; only a kept walk tells it.
  let agoMilliseconds: Int?
  /// What the server's clock said then, in UTC; only a kept walk tells it.
  let at: String?
  /// What a shadow said of it, which was not what became of it; only those tell it that were asked for.
  let shadow: ShadowOpinion?
  /// How it ended, and what happened on its way.
  let story: WalkStory

  enum CodingKeys: String, CodingKey {
    case walk, chain, topic, from, at, shadow
    case totalMicroseconds = "total_us"
    case agoMilliseconds = "ago_ms"
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    walk = try members.decode(Int.self, forKey: .walk)
    chain = try members.decode(String.self, forKey: .chain)
    topic = try members.decode(String.self, forKey: .topic)
    from = try members.decode(String.self, forKey: .from)
    totalMicroseconds = try members.decodeIfPresent(Int.self, forKey: .totalMicroseconds)
    agoMilliseconds = try members.decodeIfPresent(Int.self, forKey: .agoMilliseconds)
    at = try members.decodeIfPresent(String.self, forKey: .at)
    shadow = try members.decodeIfPresent(ShadowOpinion.self, forKey: .shadow)
    story = try WalkStory(from: decoder)
  }

  /// What happened on its way, as far as it was recorded.
  var steps: [Hop] { story.trace ?? [] }

  /// The colour of the status on a terminal.
  var statusStyle: Style {
    switch story.status {
    case "handled", "published": .green
    case "unhandled", "rejected": .yellow
    default: .red
    }
  }
}
