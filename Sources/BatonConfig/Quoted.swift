internal import BatonCore

/// A text of the file in a message: in quotes, not too long, and never a token that was written into the wrong place.
package func quoted(_ text: String) -> String { mayBeToken(text) ? "\"…\"" : "\"\(shortened(text))\"" }

/// Whether a token, or a good part of one, may be in the text. A name may begin like a token.
func mayBeToken(_ text: String) -> Bool {
  text.ranges(of: Token.prefix).contains { text[$0.upperBound...].prefix { $0 != " " }.utf8.count >= 20 }
}
