internal import BatonCore

/// The name that a word was probably meant to be; nil if nobody can tell. A typing error or two, other signs between the
/// words (`timeoutMs`, `timeout-ms`), only a part of a name, or another word for the same; `synonyms` has these without
/// signs and in lower case.
func meantName(_ word: String, among names: [String], synonyms: [String: String] = [:]) -> String? {
  guard word.utf8.count <= 64 else { return nil }
  let plain = plainLetters(word)
  if let same = names.first(where: { plainLetters($0) == plain }) { return same }
  if let synonym = synonyms[plain] { return synonym }
  // Of a short name little is left with two errors.
  let near = names.filter { $0.utf8.count > 4 || $0.utf8.first == word.utf8.first }
  if let nearest = nearestName(to: word, among: near) { return nearest }
  guard plain.utf8.count >= 4 else { return nil }
  let longer = names.filter { plainLetters($0).hasPrefix(plain) || plain.hasPrefix(plainLetters($0)) }
  return longer.count == 1 ? longer[0] : nil
}

private func plainLetters(_ word: String) -> String {
  String(
    decoding: word.utf8.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: nil
      }
    }, as: UTF8.self)
}

/// The whole number that a text was probably meant to be: `1e3`, `65_536`, `0x10`, `10.0`, and for milliseconds `10s`.
/// Nil if nobody can tell.
func meantNumber(_ text: String, isTime: Bool) -> Int? {
  guard text.utf8.count <= 20, text.utf8.first.map({ (0x30...0x39).contains($0) || $0 == 0x2B }) == true else {
    return nil
  }
  var text = text.lowercased().filter { $0 != "_" && $0 != "," && $0 != " " && $0 != "+" }
  if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16) }
  if text.hasPrefix("0o") { return Int(text.dropFirst(2), radix: 8) }
  var factor = 1.0
  if isTime {
    let units = [
      ("ms", 1.0), ("seconds", 1000), ("sec", 1000), ("s", 1000), ("min", 60_000), ("m", 60_000), ("h", 3_600_000),
    ]
    if let unit = units.first(where: { text.hasSuffix($0.0) }) {
      text.removeLast(unit.0.count)
      factor = unit.1
    }
  }
  for (unit, bytes) in [("kib", 1024.0), ("mib", 1_048_576), ("gib", 1_073_741_824)] where text.hasSuffix(unit) {
    text.removeLast(unit.count)
    factor = bytes
  }
  guard !text.contains("p"), let value = Double(text) else { return nil }
  let whole = value * factor
  return whole >= 0 && whole <= 9_007_199_254_740_992 && whole.rounded() == whole ? Int(whole) : nil
}
