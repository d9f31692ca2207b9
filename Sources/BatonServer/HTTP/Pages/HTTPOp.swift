internal import HTTP

/// Builds the lines of ops from paths and queries. Every line begins with its op and `"id":1`.
enum HTTPOp {
  /// A line that has begun: without its last brace.
  struct Begun {
    var line: [UInt8]
    /// What `name=` says; nil if it is missing.
    var name: [UInt8]?
    var reply = true
    /// Whether the message is stored, and whether its result is waited for then.
    var isDurable = false
    var waits = false
    /// With which events a subscription begins.
    var events = EventsFrom.now

    init(_ op: StaticString) {
      line = []
      line.reserveCapacity(160)
      line.append("{\"op\":\"")
      line.append(op)
      line.append("\",\"id\":1")
    }

    /// Adds the topic that the path names.
    mutating func append(topic: [UInt8]) throws(HTTPRefusal) {
      // The router says what else is wrong with a topic. This one would make the line longer than it has to be.
      if topic.count > 255 {
        throw HTTPRefusal(
          .badTopic, "the topic \"\(shown(topic))\" takes \(topic.count) bytes; at most 255 are allowed")
      }
      line.append(",\"topic\":")
      line.appendQuoted(topic)
    }

    /// Adds the members of a query.
    mutating func append(_ query: HTTPQuery) throws(HTTPRefusal) {
      for (member, raw) in query.members {
        if member.name == "name" {
          // The rule of a name holds, and the name goes into the greeting.
          let value = try HTTPQuery.decoded(raw)
          var checked: [UInt8] = []
          try member.append(value, to: &checked)
          name = value
          continue
        }
        if member.name == "wait" {
          var checked: [UInt8] = []
          let value = try HTTPQuery.decoded(raw)
          try member.append(value, to: &checked)
          waits = value.elementsEqual("true".utf8)
          continue
        }
        line.append(",\"")
        line += member.name.utf8
        line.append("\":")
        if case .patterns = member.kind {
          try append(patterns: raw)
        } else {
          let value = try HTTPQuery.decoded(raw)
          try member.append(value, to: &line)
          let isTrue = value.elementsEqual("true".utf8)
          if member.name == "reply" { reply = isTrue }
          if member.name == "durable" { isDurable = isTrue }
        }
      }
    }

    /// Adds a list that is separated by commas. A comma within a pattern is escaped, so the list is split before it is
    /// decoded.
    private mutating func append(patterns: ArraySlice<UInt8>) throws(HTTPRefusal) {
      line.append("[")
      var isFirst = true
      for piece in patterns.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        if !isFirst { line.append(",") }
        isFirst = false
        line.appendQuoted(try HTTPQuery.decoded(piece))
      }
      line.append("]")
    }
  }

  static func send(topic: [UInt8], _ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    var op = Begun("send")
    try op.append(topic: topic)
    try op.append(HTTPQuery(query, known: HTTPMember.send, page: "/send"))
    if op.waits, !op.isDurable {
      throw HTTPRefusal(
        .badMember, "\"wait\" belongs to durable messages; without durable=true the answer is the result")
    }
    if op.isDurable, !op.reply {
      throw HTTPRefusal(.badMember, "a durable message is answered once it is stored; leave out reply=false")
    }
    return op
  }

  static func broadcast(topic: [UInt8], _ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    var op = Begun("broadcast")
    try op.append(topic: topic)
    try op.append(HTTPQuery(query, known: HTTPMember.broadcast, page: "/broadcast"))
    return op
  }

  static func explain(topic: [UInt8], _ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    var op = Begun("explain")
    try op.append(topic: topic)
    try op.append(HTTPQuery(query, known: HTTPMember.explain, page: "/explain"))
    return op
  }

  static func inspect(_ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    var op = Begun("inspect")
    try op.append(HTTPQuery(query, known: HTTPMember.inspect, page: "/inspect"))
    return op
  }

  static func findings(_ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    var op = Begun("findings")
    try op.append(HTTPQuery(query, known: HTTPMember.findings, page: "/findings"))
    return op
  }

  static func walks(_ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    var op = Begun("walks")
    try op.append(HTTPQuery(query, known: HTTPMember.walks, page: "/walks"))
    return op
  }

  /// What a request for metrics asks first: who may not see the server gets the error as the answer.
  static func metrics(_ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    _ = try HTTPQuery(query, known: [], page: "/metrics")
    var op = Begun("inspect")
    op.line.append(",\"server\":true")
    return op
  }

  /// Asks for a stored message, or does something with it: `stored`, `resend`, `discard`.
  static func stored(_ op: StaticString, _ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    let query = try HTTPQuery(query, known: HTTPMember.stored, page: "/\(op)")
    guard query.members.contains(where: { $0.member.name == "stored" }) else {
      throw HTTPRefusal(.missingMember, "/\(op) needs the member \"stored\", the name that \"accepted\" told")
    }
    var op = Begun(op)
    try op.append(query)
    return op
  }

  static func dead(_ query: [UInt8]?) throws(HTTPRefusal) -> Begun {
    var op = Begun("dead")
    try op.append(HTTPQuery(query, known: HTTPMember.dead, page: "/dead"))
    return op
  }

  /// The subscription of `GET /events`. `lastEventID` is what a reader says that it has had.
  static func subscribe(_ query: [UInt8]?, lastEventID: String? = nil) throws(HTTPRefusal) -> Begun {
    var query = try HTTPQuery(query, known: HTTPMember.events, page: "/events")
    guard query.members.contains(where: { $0.member.name == "topics" }) else {
      throw HTTPRefusal(.missingMember, "/events needs the member \"topics\", such as /events?topics=door.*,chat.>")
    }
    var op = Begun("subscribe")
    let asksValues = query.members.contains { $0.member.name == "retained" && $0.raw.elementsEqual("true".utf8) }
    guard let lastEventID, !lastEventID.isEmpty, !asksValues else {
      op.events = asksValues ? .values : query.members.contains { $0.member.name == "after" } ? .after : .now
      try op.append(query)
      return op
    }
    // What the reader has had says more than its URL, which is that of its first request.
    query.leaveOut(["after", "epoch", "retained"])
    try op.append(query)
    EventPosition(lastEventID).append(to: &op.line)
    op.events = .after
    return op
  }
}
