import BatonClient

/// What is wrong, in one line: how many links are in trouble, which is the worst, and what else the server finds.
struct Trouble {
  private let links: [(place: String, what: String)]
  private let others: [Finding]
  private let isWrong: Bool
  private let hasAsked: Bool

  /// The server tells the 20 worst of each kind; of each link that it lists it tells what is wrong there.
  init(_ seen: Inspection) {
    let findings = seen.findings?.wrong ?? []
    let told = findings.filter { $0.handler != nil }.map { (place: $0.subject, what: $0.what) }
    let listed = seen.chains.flatMap { chain in
      chain.links.filter { $0.severity > 0 }.sorted { $0.severity > $1.severity }
        .map { (place: "\(chain.chain)/\($0.name)", what: $0.findings?.first ?? $0.state ?? "") }
    }
    var known: Set<String> = []
    links = (told + listed).filter { known.insert($0.place).inserted }
    others = findings.filter { $0.handler == nil }
    isWrong = findings.contains { $0.level == .wrong } || seen.chains.contains { $0.links.contains { $0.severity > 2 } }
    hasAsked = seen.findings != nil
  }

  /// As much of it as fits.
  func line(width: Int, paint: Paint) -> String {
    var words: [String] = []
    if let worst = links.first {
      let which = links.count > 1 ? ", the worst" : ""
      words.append("\(counted(links.count, "link", "links")) in trouble\(which): \(worst.place) (\(worst.what))")
    }
    words += others.map { $0.subject.isEmpty ? $0.what : "\($0.what) \($0.subject)" }
    guard !words.isEmpty else { return hasAsked ? paint("nothing is wrong".fitted(to: width), .green) : "" }
    return paint(words.joined(separator: "; ").displaySafe.fitted(to: width), isWrong ? .red : .yellow)
  }
}

extension Inspection.Link {
  /// How bad it is: 0 is well, 3 is worst.
  var severity: Int {
    let found = (findings ?? []).map { ["breaker": 3, "absent": 3, "failing": 2][$0] ?? 1 }.max() ?? 0
    let stands = state.flatMap { ["absent": 3, "breaker": 3, "overload": 2][$0] } ?? 0
    return max(found, stands)
  }
}
