/// What a program says before anything happens: the name of its client, its handlers and its subscribers.
struct Plan: Sendable {
  let place: String
  var name: String?
  var token = Token.Source()
  var encryption = Encryption()
  var heartbeat: Duration = .seconds(15)
  var patience: Duration = .seconds(30)
  /// Whether a first server that shuts down is no error: the next one is waited for, for as long as a request waits.
  var outlastsDraining = false
  /// How many bytes of requests may wait to be written.
  var maxWaitingBytes = 8 << 20
  /// How much longer than its message a call may take.
  var grace: Duration = .seconds(2)
  /// How long after a loss the server is asked for a message that it had accepted, if it does not say for how long it
  /// remembers names. If it does, half of that counts.
  var timeToAsk: Duration = .seconds(1800)
  /// How long one attempt to connect may take, the handshake and the server's first line included.
  var attempt: Duration = .seconds(10)
  /// How long to wait before the next attempt.
  var backoff = Backoff()
  var handlers: [Handler] = []
  var subscribers: [(patterns: [String], wish: Subscription.Wish, body: @Sendable (Event) async -> Void)] = []
  /// Tells people about connections that come and go.
  var report: @Sendable (String) -> Void = { _ in }
  /// Is told at each connection where a handler stands.
  var placed: @Sendable (TakenPlace) -> Void = { _ in }
  /// Is told when somebody removed a link or took it over.
  var lost: @Sendable () -> Void = {}
  /// Whether the server is told the first line of an error that a handler throws.
  var exposesErrors = true
  /// Tells people what handlers throw.
  var logError: @Sendable (String) -> Void = { writeToStandardError($0) }

  /// Throws `BatonError` where the server would refuse a part of it, whatever its settings are.
  func check() throws(BatonError) {
    if let name { try Names.check(name: name, as: "the name of a program") }
    try heartbeat.checkTime(as: "heartbeat", least: 100)
    if patience < .zero { throw .refused(code: "bad_value", message: "patience: \(patience) is less than nothing") }
    if maxWaitingBytes < 0 {
      throw .refused(code: "bad_value", message: "maxWaitingBytes: \(maxWaitingBytes) is not a number of bytes")
    }
    for handler in handlers { try handler.link.check() }
    for subscriber in subscribers {
      if subscriber.patterns.isEmpty { throw Subscription.ofNothing }
      try Names.check(patterns: subscriber.patterns)
    }
  }

  /// The plan of another connection of the same program, for traces that it has chosen.
  var forTraces: Plan {
    var plan = self
    (plan.handlers, plan.subscribers) = ([], [])
    (plan.placed, plan.lost) = ({ _ in }, {})
    plan.report = { [report] in report("traces: \($0)") }
    return plan
  }
}
