/// `subscribe`, `unsubscribe` and `broadcast` (section 7), and messages of mode `notify` (sections 4 and 5).
extension Model {
  mutating func subscribe(_ patterns: [String], _ asked: Asked, from connection: Int) {
    for pattern in patterns where !connections[connection].patterns.contains(pattern) {
      connections[connection].patterns.append(pattern)
    }
    reply(Line("ok", to: asked), to: asked, of: connection)
  }

  mutating func unsubscribe(_ patterns: [String]?, _ asked: Asked, from connection: Int) {
    connections[connection].patterns.removeAll { patterns?.contains($0) ?? true }
    reply(Line("ok", to: asked), to: asked, of: connection)
  }

  /// Everybody who has subscribed gets the event once.
  mutating func broadcast(_ message: Broadcast, _ asked: Asked, from connection: Int) {
    var line = Line("event")
    line.add("topic", message.topic)
    line.add("payload", json: message.payload)
    line.add("meta", json: message.meta)
    line.add("from", connections[connection].from)
    var delivered = 0
    for subscriber in connections.indices {
      if subscriber == connection, message.echo == false {
        seen.insert(.withoutEcho)
        continue
      }
      let matching = connections[subscriber].patterns.count { Subject.matches(message.topic, $0) }
      for _ in 0..<(keeps(.eventOnce) ? min(1, matching) : matching) {
        seen.insert(.event)
        say(line, to: subscriber)
      }
      if matching > 0 { delivered += 1 }
    }
    reply(delivered, to: asked, of: connection)
  }

  /// Tells every link at once, and expects nothing. A shared link tells one of its connections; a held place misses
  /// the message; shadows are told and not counted.
  mutating func notify(_ walk: Int, _ asked: Asked, from connection: Int) {
    seen.insert(.notify)
    var delivered = 0
    enter(walks[walk].chain, walk)
    while let link = nextLink(of: walk) {
      guard let server = chooseServer(of: link, forNotice: true) else {
        if !links[link].settings.shadow, !keeps(.heldMissesNotice) { delivered += 1 }
        continue
      }
      var line = Line("notice")
      describe(walk, at: link, in: &line)
      line.add("from", walks[walk].from)
      line.add("shadow", ifTrue: links[link].settings.shadow)
      say(line, to: server.connection)
      if !links[link].settings.shadow { delivered += 1 }
    }
    walks[walk].isOver = true
    reply(delivered, to: asked, of: connection)
  }

  private mutating func reply(_ delivered: Int, to asked: Asked, of connection: Int) {
    var line = Line("ok", to: asked)
    line.add("delivered", delivered)
    reply(line, to: asked, of: connection)
  }
}
