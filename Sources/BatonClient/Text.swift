internal import BatonCore

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A text with those characters spelled out that would act on a terminal or in a log instead of being seen: what others say
/// is in errors and reports, too.
func shown(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
  return text.unicodeScalars.reduce(into: "") { $0 += $1.isSeen ? String($1) : $1.spelledOut }
}

/// The first line of a text that is not blank.
func firstLine(_ text: String) -> String {
  let lines = text.split(whereSeparator: \.isNewline)
  return lines.first { !$0.allSatisfy(\.isWhitespace) }.map(String.init) ?? ""
}

/// A time for people: `8 h 12 min`. Its two largest units are enough.
func span(_ time: Duration) -> String {
  let (seconds, attoseconds) = time.components
  if seconds < 1 { return "\(attoseconds / 1_000_000_000_000_000) ms" }
  let units: [(unit: String, size: Int64, part: String, fraction: Int64)] = [
    ("d", 86_400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1),
  ]
  for (unit, size, part, fraction) in units where seconds >= size {
    return "\(seconds / size) \(unit) \(seconds % size / fraction) \(part)"
  }
  return "\(seconds) s"
}

/// The beginning of a text: at most that many bytes of UTF-8, cut between characters.
func shortened(_ text: String, to most: Int) -> String {
  if text.utf8.count <= most { return text }
  var short = ""
  for character in text.unicodeScalars {
    if short.utf8.count + 4 > most { break }
    short.unicodeScalars.append(character)
  }
  return short
}

/// Prints a line to standard error, in one piece. It is for people, and has words of others: what is not seen is spelled
/// out.
func writeToStandardError(_ line: String) {
  var line = shown(line) + "\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
