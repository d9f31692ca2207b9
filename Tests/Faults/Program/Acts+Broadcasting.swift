import ProgramKit

extension Act {
  /// Broadcasts, and subscribers that do not read them.
  static let broadcasting = [
    Act(name: "subscribers", speaksTLS: true) { cast in
      let listeners = try (0..<4).map { _ in try cast.join() }
      let sender = try cast.join()
      for listener in listeners { try cast.ask(listener, #"{"op":"subscribe","topics":["\#(cast.name).>"]}"#) }
      for round in 1...5 {
        let broadcast = #"{"op":"broadcast","topic":"\#(cast.name).x","payload":\#(round)}"#
        try cast.ask(sender, broadcast, #"{"op":"ok","delivered":4}"#)
        for listener in listeners { try cast.hear(listener, #"{"op":"event""#, #""payload":\#(round),"#) }
      }
      for listener in listeners { try cast.ask(listener, #"{"op":"unsubscribe"}"#) }
      try cast.ask(sender, #"{"op":"broadcast","topic":"\#(cast.name).x"}"#, #"{"op":"ok","delivered":0}"#)
    },
    Act(name: "a slow reader", isForUnix: true) { cast in
      let listener = try flooded(cast)
      // What the server could not send at once comes in order. Then the gap comes.
      var line = try cast.hear(listener, #"{"op":"event""#)
      while line.hasPrefix(#"{"op":"event""#) { line = try cast.hear(listener, #"{"op":""#) }
      guard line.hasPrefix(#"{"op":"missed""#) else { throw Deviation("\(line.prefix(300))") }
    },
    Act(name: "a reset while bytes are unsent", isForUnix: true) { cast in
      let listener = try flooded(cast)
      listener.resetsAtTheEnd()
      cast.leave(listener)
    },
    Act(name: "a half-close while bytes are unsent", isForUnix: true) { cast in
      let listener = try flooded(cast)
      cast.halfClose(listener)
      while let line = listener.line() {
        if !line.hasPrefix(#"{"op":"event""#), !line.hasPrefix(#"{"op":"missed""#) {
          throw Deviation("\(line.prefix(300))")
        }
      }
    },
  ]

  /// A subscriber with more to read than the kernel keeps for it.
  private static func flooded(_ cast: Cast) throws -> Peer {
    let (listener, sender) = (try cast.join(), try cast.join())
    try cast.ask(listener, #"{"op":"subscribe","topics":["\#(cast.name)"]}"#)
    let payload = String(repeating: "x", count: 50_000)
    for _ in 0..<100 {
      sender.say(#"{"op":"broadcast","topic":"\#(cast.name)","payload":"\#(payload)"}"#)
      let reply = try cast.hear(sender, #"{"op":"ok""#)
      if reply == #"{"op":"ok","delivered":0}"# { return listener }
    }
    throw Deviation("nothing is ever missed")
  }
}
