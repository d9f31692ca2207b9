/// Figures one after the other as a line of bars, each one column wide. The highest figure has the highest bar. Only 0
/// has the lowest bar.
enum Sparkline {
  private static let bars = Array("▁▂▃▄▅▆▇█")
  /// For a terminal that shows no other characters.
  private static let plainBars = Array("_.-:=+*#")

  /// The bars; nil where all figures are 0.
  static func text(_ figures: [Int], isPlain: Bool = false) -> String? {
    guard let highest = figures.max(), highest > 0 else { return nil }
    let bars = isPlain ? plainBars : bars
    return String(
      figures.map { figure in
        guard figure > 0 else { return bars[0] }
        let share = Double(figure) / Double(highest)
        return bars[max(Int((share * Double(bars.count - 1)).rounded()), 1)]
      })
  }
}
