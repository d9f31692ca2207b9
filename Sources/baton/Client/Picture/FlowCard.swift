import BatonClient
import BatonCore

/// What ten minutes of a link look like in the picture of its chain. The console draws the same (`flow.js`);
/// Tests/Console/test_flow.py compares them.
struct FlowCard {
  var name: String
  /// `guard`, `helper`, `shadow`, `mount` or `stage`, a mount whose links are asked at once; empty: several links.
  var kind: String
  /// How it looks: `good`, `idle`, `mount`, or what is wrong: `wrong`, `warning`, `held`.
  var look: String
  /// Its state, or the worst of what was found wrong with it.
  var word: String
  /// Messages, in ten minutes.
  var offers = 0
  var taken = 0
  var refused = 0
  var failed = 0
  var passed = 0
  /// Nothing is counted here: messages cross it.
  var isCrossed = false
  /// How many links the card stands for, beyond the first ones of a long chain.
  var folded = 0
  /// What comes to the card, and what leaves it.
  var comes = 0
  var leaves = 0

  var isWrong: Bool { ["wrong", "warning", "held"].contains(look) }

  /// What ended at the link, in the order in which it is drawn.
  var ends: [(name: String, count: Int)] {
    [("taken", taken), ("refused", refused), ("failed", failed)].filter { $0.1 > 0 }
  }
}

extension FlowCard {
  /// Links that are drawn one by one. What is fine beyond them is one card.
  private static let most = 24

  /// The cards of a chain.
  static func cards(of links: [Inspection.Link]) -> [FlowCard] {
    var cards: [FlowCard] = []
    for (place, link) in links.enumerated() {
      var card = FlowCard(link)
      if place < most || card.isWrong {
        cards.append(card)
      } else if let last = cards.last, last.folded > 0 {
        cards[cards.count - 1].fold(card)
      } else {
        (card.kind, card.look, card.isCrossed, card.folded, card.name) = ("", "good", false, 1, "1 more")
        cards.append(card)
      }
    }
    flow(through: &cards)
    return cards
  }

  private init(_ link: Inspection.Link) {
    (name, word) = (link.name, "")
    kind =
      link.mount != nil
      ? link.together == true ? "stage" : "mount"
      : link.state == "shadow" ? "shadow" : link.onFailure?.stopping.isEmpty == false ? "guard" : "helper"
    isCrossed = link.mount != nil || kind == "shadow"
    (look, word) = link.pictured
    let samples = link.history ?? []
    func sum(_ read: (Inspection.Sample) -> Int) -> Int { samples.reduce(0) { ServerLine.sum($0, read($1)) } }
    let stopping = link.onFailure?.stopping ?? []
    (offers, taken, refused) = (sum(\.messages), sum { $0.handled ?? 0 }, sum { $0.reject ?? 0 })
    failed = sum { $0.failures.reduce(0) { ServerLine.sum($0, $1.count) } }
    let goesOn = sum { $0.failures.reduce(0) { stopping.contains($1.cause) ? $0 : ServerLine.sum($0, $1.count) } }
    passed = ServerLine.sum(sum { $0.continue ?? 0 }, goesOn)
  }

  private mutating func fold(_ card: FlowCard) {
    taken = ServerLine.sum(taken, card.taken)
    refused = ServerLine.sum(refused, card.refused)
    failed = ServerLine.sum(failed, card.failed)
    offers = max(offers, card.offers)
    if !card.isCrossed { passed = card.passed }
    folded += 1
    name = "\(Figures.count(folded)) more"
  }

  /// Messages cross a shadow, and a mount about which nothing is counted here.
  private static func flow(through cards: inout [FlowCard]) {
    for place in cards.indices {
      let next = cards[(place + 1)...].first { !$0.isCrossed }
      let card = cards[place]
      let before = place > 0 ? cards[place - 1].leaves : next?.offers
      cards[place].comes = card.isCrossed ? before ?? 0 : card.offers
      cards[place].leaves =
        !card.isCrossed
        ? card.passed : card.look == "mount" ? next?.offers ?? cards[place].comes : cards[place].comes
    }
  }
}

extension Inspection.Link {
  /// The look and the word of its state, as the console shows them (`linkState`).
  fileprivate var pictured: (look: String, word: String) {
    if mount != nil { return ("mount", "mount") }
    let word = state ?? "hidden"
    let look =
      switch word {
      case "serving": "good"
      case "window", "unsent", "empty": "warning"
      case "held": "held"
      case "absent", "breaker", "overload": "wrong"
      default: "idle"
      }
    guard let worst = findings?.first else { return (look, word) }
    let found = ["breaker", "absent"].contains(worst) ? "wrong" : "warning"
    let order = ["wrong", "warning", "held"]
    let worse = (order.firstIndex(of: found) ?? 3) < (order.firstIndex(of: look) ?? 3) ? found : look
    return (worse, order.contains(look) ? word : FlowCard.spelled(worst))
  }
}

extension FlowCard {
  /// The words of a finding, as the console has them.
  fileprivate static func spelled(_ finding: String) -> String {
    switch finding {
    case "waiting": "messages wait"
    case "paused": "not read from"
    case "missed": "misses events"
    default: String(finding.map { $0 == "_" ? " " : $0 })
    }
  }
}
