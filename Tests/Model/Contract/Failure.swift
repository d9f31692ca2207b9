/// A link failed a message (contract, section 4, "Failures").
struct Failure {
  /// The link, as the offer named it.
  let by: String
  let chain: String
  let cause: Cause
  /// What the handler said, as JSON.
  let message: String?
  /// The mount that it names in place of a link that the sender may not see.
  let veil: Int?

  init(by: String, chain: String, cause: Cause, message: String? = nil, veil: Int? = nil) {
    (self.by, self.chain, self.cause, self.message, self.veil) = (by, chain, cause, message, veil)
  }

  /// A JSON string of at most so many bytes between its quotes. It is cut between characters; an escape is one.
  static func cut(_ json: String, to most: Int, atCharacters: Bool) -> String {
    var rest = Array(json.unicodeScalars.dropFirst().dropLast())[...]
    var text = ""
    while let first = rest.first {
      let width = first != "\\" || !atCharacters ? 1 : rest.dropFirst().first == "u" ? 6 : 2
      let next = String(String.UnicodeScalarView(rest.prefix(width)))
      if text.utf8.count + next.utf8.count > most { break }
      text += next
      rest = rest.dropFirst(width)
    }
    return "\"\(text)\""
  }
}
