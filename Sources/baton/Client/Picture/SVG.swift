import BatonClient

/// A picture as SVG, for pages in light and dark. Every text is spelled so that nothing in it acts.
struct SVG {
  private let width: Int
  private let height: Int
  private var body = ""

  init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  /// The whole file.
  var document: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img">
    <style>\(SVG.style)</style>
    \(body)</svg>
    """
  }

  /// A part of the picture, moved down; `titled`: what a pointer on it shows, and what a screen reader says.
  mutating func group(y: Int = 0, titled: String = "", _ draw: (inout SVG) -> Void) {
    var inner = SVG(width: width, height: height)
    draw(&inner)
    let title = titled.isEmpty ? "" : "<title>\(titled.inXML)</title>"
    body += "<g\(y == 0 ? "" : " transform=\"translate(0 \(y))\"")>\(title)\n\(inner.body)</g>\n"
  }

  mutating func path(_ kind: String, _ points: [(x: Double, y: Double)]) {
    let way = points.map { "\(SVG.spell($0.x)) \(SVG.spell($0.y))" }.joined(separator: "L")
    body += "<path class=\"\(kind)\" d=\"M\(way)z\"/>\n"
  }

  mutating func box(_ kind: String, _ x: Int, _ y: Int, _ width: String, _ height: Int, round: Int) {
    body += "<rect class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" rx=\"\(round)\"/>\n"
  }

  mutating func box(_ kind: String, _ x: String, _ y: Int, _ width: String, _ height: Int) {
    body += "<rect class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\"/>\n"
  }

  mutating func text(_ kind: String, _ x: Int, _ y: Int, _ words: String) {
    body += "<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\">\(words.inXML)</text>\n"
  }

  /// A length with one decimal, as `toFixed(1)` spells it.
  static func spell(_ length: Double) -> String {
    let tenths = Int((length * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }

  private static let style = """
    svg{--ground:#fff;--soft:#efefec;--text:#1b1d21;--dim:#565b63;--edge:#8b9098;--accent:#3457c9;--good:#1d6b42;\
    --wrong:#b3211b;--warning:#7d5200;font:12px system-ui,sans-serif;background:var(--ground);fill:var(--text)}\
    @media (prefers-color-scheme:dark){svg{--ground:#1b1e22;--soft:#24282d;--text:#e7e8ea;--dim:#a4abb5;--edge:#737a84;\
    --accent:#93adff;--good:#6bcf97;--wrong:#ff8f85;--warning:#edbb58}}\
    .title{font-size:14px;font-weight:600}.band{fill:var(--accent);opacity:.45}.card{fill:var(--soft);stroke:var(--edge)}\
    .card.guard{stroke-width:3}.card.shadow{stroke-dasharray:4 3}.card.mount,.card.stage{stroke:var(--accent)}.card.stage{stroke-width:3}\
    .card.wrong{stroke:var(--wrong)}.card.warning,.card.held{stroke:var(--warning)}\
    .name{font:600 12.5px ui-monospace,Menlo,Consolas,monospace}.kind,.out,.many{fill:var(--dim)}\
    .many,.out{text-anchor:middle}.word{font-weight:600}.word.wrong{fill:var(--wrong)}\
    .word.warning,.word.held{fill:var(--warning)}.drop.taken{fill:var(--good)}.drop.refused{fill:var(--warning)}\
    .drop.failed{fill:var(--wrong)}
    """
}

extension String {
  /// The text with those characters spelled out that would act instead of being seen.
  var spelledForPages: String {
    unicodeScalars.reduce(into: "") { $0 += $1.isSeen ? String($1) : $1.spelledOut }
  }

  /// The text as XML has it.
  fileprivate var inXML: String {
    unicodeScalars.reduce(into: "") { text, sign in
      switch sign {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      default: text.unicodeScalars.append(sign)
      }
    }
  }
}
