/// The signs beyond ASCII that the program prints, and what stands for them where the locale has only ASCII. JSON is
/// always UTF-8. Other characters of peers are printed as they are.
struct Glyphs {
  /// Something was left out here.
  let ellipsis: String
  /// Microseconds.
  let microseconds: String
  /// Leads to another chain, or to what to do.
  let arrow: String
  /// The marks of a finding, all equally wide.
  let ok, warning, wrong: String
  /// The keys that scroll, and what stands between the first and the last line that is shown.
  let upDown, dash: String
  /// From the lowest to the highest.
  let bars: [Character]
  /// What stands for the signs that the server uses in its messages; empty where the locale has them.
  let replacements: [Unicode.Scalar: String]

  private static let all = Glyphs(
    ellipsis: "…", microseconds: "µs", arrow: "→", ok: "✓", warning: "!", wrong: "✗", upDown: "↑↓", dash: "–",
    bars: Array("▁▂▃▄▅▆▇█"), replacements: [:])
  private static let ascii = Glyphs(
    ellipsis: "...", microseconds: "us", arrow: "->", ok: "ok", warning: "! ", wrong: "x ", upDown: "up/down",
    dash: "-",
    bars: Array("_.-:=+*#"), replacements: ["…": "...", "→": "->", "×": "x"])

  /// Those of this locale. Only a locale that is set says that it has no more than ASCII.
  static let current = {
    let locale = Environment["LC_ALL"] ?? Environment["LC_CTYPE"] ?? Environment["LANG"]
    guard let locale = locale?.lowercased() else { return all }
    return locale.contains("utf-8") || locale.contains("utf8") ? all : ascii
  }()
}
