/// The signs beyond ASCII that the program prints, and what stands for them where the locale has only ASCII. JSON is
/// always UTF-8.
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
  /// Stands before text of others.
  let edge: String
  /// What is left, and what has gone.
  let full, gone: Character
  /// From the lowest to the highest.
  let bars: [Character]
  /// What stands for the signs that the server uses in its messages; empty where the locale has them.
  let replacements: [Unicode.Scalar: String]

  private static let all = Glyphs(
    ellipsis: "…", microseconds: "µs", arrow: "→", ok: "✓", warning: "!", wrong: "✗", upDown: "↑↓", dash: "–",
    edge: "│", full: "█", gone: "░", bars: Array("▁▂▃▄▅▆▇█"), replacements: [:])
  private static let ascii = Glyphs(
    ellipsis: "...", microseconds: "us", arrow: "->", ok: "ok", warning: "! ", wrong: "x ", upDown: "up/down",
    dash: "-", edge: "|", full: "#", gone: ".",
    bars: Array("_.-:=+*#"), replacements: ["…": "...", "→": "->", "×": "x"])

  private static let locale =
    (Environment["LC_ALL"] ?? Environment["LC_CTYPE"] ?? Environment["LANG"])?.lowercased()

  /// Those of this locale. Only a locale that is set says that it has no more than ASCII.
  static let current = {
    guard let locale else { return all }
    return locale.contains("utf-8") || locale.contains("utf8") ? all : ascii
  }()

  /// Whether the locale has only ASCII: a terminal may take other bytes for something else, such as the begin of a
  /// sequence. There, other letters of peers are spelled out; in a pipe they stay as they are.
  static let areOnlyASCII = current.ellipsis != all.ellipsis

  /// Whether the terminal may show every letter beyond ASCII as wide as one of Chinese.
  static let mayBeWide = ["zh", "ja", "ko"].contains { locale?.hasPrefix($0) == true }
}
