public import BatonCore

extension Configuration {
  /// How many patterns are compared to find out whether links in front of guards accept their topics.
  private static let mostComparisons = 1_000_000

  /// The declared links that are different from those of an older configuration: first those that let messages pass which
  /// were stopped before, then the others, in the order of the chains' names. At most a thousand.
  public func linkChanges(from old: Configuration) -> [LinkChange] {
    let all = comparisons(with: old).flatMap(\.changes)
    return Array((all.filter(\.isUnguarded) + all.filter { !$0.isUnguarded }).prefix(1000))
  }

  /// What a reload from an older configuration would do that is probably not meant: links that guard no more, guards that
  /// messages pass, and then what is wrong with the file that was not before. At most a hundred.
  public func newWarnings(since old: Configuration) -> [ConfigMistake] {
    let all = comparisons(with: old)
    let less = all.lazy.flatMap(\.changes).filter(\.guardsLess).prefix(MistakeList.most).map { change in
      ConfigMistake(origin(of: change.link, in: change.chain), change.warning)
    }
    let passed = all.lazy.flatMap(\.passed).prefix(MistakeList.most).map { one in
      ConfigMistake(origin(of: one.inFront.first ?? one.link, in: one.chain), one.warning)
    }
    let known = Set(old.warnings.map(\.message))
    let others = warnings.filter { !known.contains($0.message) }
    return Array((Array(less) + Array(passed) + others).prefix(MistakeList.most))
  }

  /// Each chain, as it is different from an older configuration, in the order of the names.
  private func comparisons(with old: Configuration) -> [ChainComparison] {
    var left = Self.mostComparisons
    return ChainComparison.comparisons(of: chains.map(\.declaration), with: old.chains.map(\.declaration), left: &left)
  }

  /// Where the file says it: at the link, or at its chain if the link is gone.
  private func origin(of name: LinkKey, in chainName: String) -> Origin {
    let chain = chains.first { $0.name == chainName }
    let link = chain?.links.first { $0.link.name == name.name && $0.link.isMount == name.isMount }
    return link?.origin ?? chain?.origin ?? .byDefault
  }
}

extension LinkChange {
  /// What it means that messages pass.
  fileprivate var warning: String {
    let place = "\(chain)/\(link.name)"
    let list = settings.joined(separator: ", ")
    return switch (what, guardBehind) {
    case (.removed, let guarding?):
      "\(place) is not mounted any more, so messages pass the guard \(quoted(guarding)) that is behind it"
    case (.removed, nil): "\(place) is not declared any more, so messages pass that it stopped"
    case (_, let guarding?):
      "\(place) leads fewer messages to the guard \(quoted(guarding)) than before (\(list)), so the others pass it"
    case (_, nil): "\(place) guards less than before (\(list)), so messages pass that it stopped"
    }
  }
}

extension PassedGuard {
  /// How many links in front are named.
  private static let mostNamed = 3

  /// What it means that messages pass.
  fileprivate var warning: String {
    let isOne = inFront.count == 1
    let names = inFront.prefix(Self.mostNamed).map { quoted($0.name) }
    let rest = inFront.count > Self.mostNamed ? ["others"] : []
    let last = (names + rest).last ?? ""
    let first = (names + rest).dropLast().joined(separator: ", ")
    let subject = first.isEmpty ? last : "\(first) and \(last)"
    let verb =
      isWider
      ? "\(isOne ? "takes" : "take") more messages in front of" : "\(isOne ? "stands" : "stand") in front of"
    let object =
      guardBehind.map { "the mount \(quoted(link.name)) now, which leads to the guard \(quoted($0))" }
      ?? "the guard \(quoted(link.name)) now"
    return
      "chains.\(chain): \(subject) \(verb) \(object): what \(isOne ? "it handles" : "they handle") does not reach the guard"
  }
}
