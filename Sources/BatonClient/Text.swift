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
