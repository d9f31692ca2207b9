/// What was seen while a case was played.
struct Seen {
  /// The reply to the sender, and its bytes; nil if none came.
  var reply: (line: JSONValue, bytes: [UInt8])?
  /// Microseconds from the request to the reply, or to the end of the case.
  var took = 0
  /// The links that were asked, in their order.
  var asked: [LinkName] = []
  /// The links that got a notice, or a copy for a shadow.
  var told: [LinkName] = []
  /// What the links did with the offers, in the order of the offers.
  var answers: [(link: LinkName, answer: Answer)] = []
  /// The events that the subscriber heard.
  var events: [(line: JSONValue, bytes: [UInt8])] = []
  /// What the server told of the walk.
  var walk: JSONValue?
  /// What the server did not accept from a handler.
  var troubles: [(link: LinkName, error: JSONValue)] = []
}
