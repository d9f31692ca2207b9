internal import BatonCore

/// A text of the file in a message: in quotes, not too long, and never a token that was written into the wrong place.
func quoted(_ text: String) -> String {
  text.contains(Token.prefix) ? "\"…\"" : "\"\(shortened(text))\""
}
