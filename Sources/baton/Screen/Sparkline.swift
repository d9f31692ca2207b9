/// Figures one after the other as a line of bars, each one column wide. The highest figure has the highest bar. Only 0
/// has the lowest bar.
enum Sparkline {
  /// The bars, of these characters from the lowest to the highest; nil where all figures are 0.
  static func text(_ figures: [Int], bars: [Character] = Glyphs.current.bars) -> String? {
    guard let highest = figures.max(), highest > 0 else { return nil }
    return String(
      figures.map { figure in
        guard figure > 0 else { return bars[0] }
        let share = Double(figure) / Double(highest)
        return bars[max(Int((share * Double(bars.count - 1)).rounded()), 1)]
      })
  }
}
