/// Why the server refuses a line: a code for programs, and a sentence for people that says what is wrong, where, and
/// how to mend it.
struct Fault: Error {
  var code: ErrorCode
  var message: String
  /// The offer that the error is about, if the line itself does not name it.
  var offer: Int?
  /// The right that is missing, as the operator's file would spell it; nil if the fault is another one.
  var right: String?

  init(_ code: ErrorCode, _ message: String, offer: Int? = nil) {
    self.code = code
    self.message = message
    self.offer = offer
  }
}
