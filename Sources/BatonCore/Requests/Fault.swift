/// Why the server refuses a line: a code for programs, and a sentence for people that says what is wrong, where, and
/// how to mend it.
struct Fault: Error {
  var code: ErrorCode
  var words: String
  /// At which byte of the line it is, where that is told.
  let place: UInt32?
  /// The offer that the error is about, if the line itself does not name it.
  var offer: Int?
  /// After how many milliseconds the same line may be taken; nil if nothing is known of that.
  var retryMilliseconds: Int?
  /// The right that is missing, as the configuration file would spell it; nil if the fault is another one.
  var right: String?

  init(_ code: ErrorCode, _ words: String, at place: UInt32? = nil, offer: Int? = nil) {
    self.code = code
    self.words = words
    self.place = place
    self.offer = offer
  }

  /// The sentence, with the place.
  var message: String { place.map { "\(words), at byte \($0)" } ?? words }
}
