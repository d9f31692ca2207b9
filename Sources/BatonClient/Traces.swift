/// Which traces a subscriber wants, as a line (contract, section 7, "Some traces only"). What is nil holds for all.
package struct ChosenTraces: Sendable {
  /// The server tells of each walk that has ended under this topic.
  static let topic = "$baton.trace"

  var chain: String?
  var topic: String?
  var status: SendResult.Status?
  var slowerThan: Duration?
  var from: String?
  var perSecond: Int?
  /// Whether the message is in a trace beyond the server.
  var isTraced: Bool?
  /// Takes at once how many traces the server has left out. If it is nil, the next event tells it.
  var leftOut: (@Sendable (Int) -> Void)?

  package init(
    chain: String? = nil, topic: String? = nil, status: SendResult.Status? = nil, slowerThan: Duration? = nil,
    from: String? = nil, perSecond: Int? = nil, isTraced: Bool? = nil, leftOut: (@Sendable (Int) -> Void)? = nil
  ) {
    self.chain = chain
    self.topic = topic
    self.status = status
    self.slowerThan = slowerThan
    self.from = from
    self.perSecond = perSecond
    self.isTraced = isTraced
    self.leftOut = leftOut
  }

  /// Throws `BatonError` where the server would refuse it, whatever its settings are.
  func check() throws(BatonError) {
    if let chain { try Names.check(name: chain, as: "the name of a chain") }
    if let topic { try Names.check(pattern: topic) }
    try slowerThan?.checkTime(as: "slowerThan")
    if let perSecond, perSecond < 1 {
      throw .refused(code: "bad_value", message: "perSecond: \(perSecond) is not a number above 0")
    }
  }

  /// The line that subscribes.
  var line: RequestLine {
    var line = RequestLine("subscribe")
    line.add("topics", texts: [ChosenTraces.topic])
    var members = RequestLine()
    members.add("chain", text: chain)
    members.add("topic", text: topic)
    members.add("status", text: status?.rawValue)
    members.add("slower_than_ms", milliseconds: slowerThan)
    members.add("from", text: from)
    members.add("traced", given: isTraced)
    line.add("where", members)
    line.add("per_second", perSecond)
    return line
  }
}
