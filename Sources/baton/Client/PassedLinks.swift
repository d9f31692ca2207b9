/// Which links a message passed by, and why: the lines below the result of a message, for the person who sent it.
struct PassedLinks {
  /// The most lines; a walk can have a thousand steps.
  private static let most = 12
  /// So many links in a row that do not accept the topic have a line each. More share one.
  private static let mostInARow = 3

  private let story: WalkStory
  private let topic: String

  init(_ story: WalkStory, topic: String) {
    self.story = story
    self.topic = topic
  }

  /// The links in their order. `isTraced` says that a trace was asked for.
  var lines: [String] {
    let all = story.trace == nil ? failures : steps
    let rest = all.count - PassedLinks.most
    let shown =
      rest > 1
      ? all.prefix(PassedLinks.most) + ["\(Glyphs.current.ellipsis) and \(rest) more; --trace shows all"] : all[...]
    return shown.map { "  \($0)" }
      + (story.trace != nil && story.truncated == true ? ["  \(Glyphs.current.ellipsis) the trace ends here"] : [])
  }

  /// What the result tells without a trace.
  private var failures: [String] {
    (story.failures ?? []).map(\.words)
      + (story.moreFailures == true ? ["\(Glyphs.current.ellipsis) and more failures"] : [])
  }

  private var steps: [String] {
    let all = story.trace ?? []
    switch story.status {
    case "unhandled": return grouped(all)
    case "timeout", "cancelled": return keyWait + sentences(all.filter(\.isFailure))
    // The result itself says why its last step failed.
    case "failed": return sentences(all.dropLast().filter(\.isFailure))
    default: return sentences(all.filter(\.isFailure))
    }
  }

  private func sentences(_ hops: [Hop]) -> [String] { hops.map { $0.sentence(topic: topic) } }

  /// Why a message that came to no link had to wait.
  private var keyWait: [String] {
    guard story.by == nil, let wait = story.keyWaitMicroseconds else { return [] }
    return ["it waited \(Figures.microseconds(wait)) for the message before it that has the same key"]
  }

  private func grouped(_ hops: [Hop]) -> [String] {
    var lines: [String] = []
    var rest = hops[...]
    while let first = rest.first {
      let row = rest.prefix { $0.skipped == "topic" && $0.chain == first.chain }
      if row.count > PassedLinks.mostInARow {
        lines.append("\(row.count) links of \(first.chain) do not accept \(topic): \(PassedLinks.names(of: row))")
        rest = rest.dropFirst(row.count)
      } else {
        lines.append(first.sentence(topic: topic))
        rest = rest.dropFirst()
      }
    }
    return lines
  }

  private static func names(of hops: ArraySlice<Hop>) -> String {
    hops.prefix(5).map(\.name).joined(separator: ", ") + (hops.count > 5 ? ", \(Glyphs.current.ellipsis)" : "")
  }
}
