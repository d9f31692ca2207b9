import BatonClient

/// A chain as a picture: links from left to right, bands as wide as what went through them in ten minutes.
struct ChainPicture {
  private enum Size {
    /// A card and the gap before the next one.
    static let column = 168
    static let gap = 40
    static let card = (width: 128, height: 64, y: 34)
    static let middle = 66.0
    static let thickest = 44.0
    static let longestName = 17
    static let title = 28
    static let height = 150
  }

  private let chain: String
  private let cards: [FlowCard]
  /// What is drawn with the whole thickness.
  private let biggest: Int

  init(_ chain: Inspection.Chain) {
    self.chain = chain.chain
    cards = FlowCard.cards(of: chain.links)
    biggest = max(1, cards.map { max($0.comes, $0.leaves) }.max() ?? 0)
  }

  /// All chains below each other, as one document.
  static func document(_ chains: [Inspection.Chain]) -> String {
    let pictures = chains.map(ChainPicture.init)
    let width = pictures.map(\.width).max() ?? Size.column
    var svg = SVG(width: width, height: max(1, pictures.count) * (Size.height + Size.title))
    if pictures.isEmpty { svg.text("name", 10, 20, "There is no chain, because there is no handler.") }
    for (place, picture) in pictures.enumerated() {
      svg.group(y: place * (Size.height + Size.title)) { group in
        group.text("title", 10, 20, picture.chain.spelledForPages)
        group.group(y: Size.title) { picture.draw(into: &$0) }
      }
    }
    return svg.document
  }

  private var width: Int { Size.gap + Size.column * cards.count }

  private func draw(into svg: inout SVG) {
    for (place, card) in cards.enumerated() {
      let x = Size.gap + Size.column * place
      svg.group(titled: card.words) { group in
        band(x - Size.gap, from: place > 0 ? cards[place - 1].leaves : card.comes, to: card.comes, into: &group)
        group.text("many", x - 20, 26, Figures.count(card.comes))
        group.box("card \(card.look) \(card.kind)", x, Size.card.y, "\(Size.card.width)", Size.card.height, round: 8)
        group.text("name", x + 10, Size.card.y + 21, short(card.name))
        group.text("kind", x + 10, Size.card.y + 38, card.kind)
        group.text("word \(card.look)", x + 10, Size.card.y + 55, card.isWrong ? short(card.word) : "")
        drops(card, x, into: &group)
      }
    }
    let last = cards.last?.leaves ?? 0
    svg.group { group in
      band(width - Size.gap, from: last, to: last, into: &group)
      group.text("many", width - 20, 26, Figures.count(last))
      group.text("out", width - 20, 110, "no link")
    }
  }

  /// What ended at a link falls out of it.
  private func drops(_ card: FlowCard, _ x: Int, into svg: inout SVG) {
    let bottom = Size.card.y + Size.card.height
    for (place, end) in card.ends.enumerated() {
      let (left, across) = (x + 22 + place * 42, share(end.count))
      svg.box("drop \(end.name)", SVG.spell(Double(left) - across / 2), bottom, SVG.spell(across), 16)
      svg.text("many", left, bottom + 30, Figures.count(end.count))
      svg.text("out", left, bottom + 44, end.name)
    }
  }

  private func band(_ x: Int, from: Int, to: Int, into svg: inout SVG) {
    let (one, other) = (share(from) / 2, share(to) / 2)
    let (left, right) = (Double(x), Double(x + Size.gap))
    svg.path(
      "band",
      [
        (left, Size.middle - one), (right, Size.middle - other), (right, Size.middle + other),
        (left, Size.middle + one),
      ])
  }

  /// How thick a band of so many messages is.
  private func share(_ count: Int) -> Double {
    count > 0 ? max(1.5, Size.thickest * Double(count) / Double(biggest)) : 0
  }

  private func short(_ words: String) -> String {
    let signs = words.spelledForPages.unicodeScalars
    guard signs.count > Size.longestName else { return String(signs) }
    return String(String.UnicodeScalarView(signs.prefix(Size.longestName - 1))) + "…"
  }
}

extension FlowCard {
  /// The card in words, for who does not see the picture.
  fileprivate var words: String {
    var parts = [name.spelledForPages, kind, isWrong ? word.spelledForPages : ""]
    if !isCrossed {
      parts += ["\(Figures.count(offers)) offered"] + ends.map { "\(Figures.count($0.count)) \($0.name)" }
      parts.append("\(Figures.count(passed)) passed on")
    }
    return parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
