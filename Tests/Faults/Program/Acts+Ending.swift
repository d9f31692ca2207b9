import ProgramKit

extension Act {
  /// Connections that end in every way.
  static let ending = [
    Act(name: "half-closes", speaksTLS: true) { cast in
      let (handler, sender) = (try cast.join(), try cast.join())
      try cast.ask(handler, #"{"op":"insert","chain":"\#(cast.name)","handler":"h"}"#)
      sender.say(#"{"op":"send","chain":"\#(cast.name)","topic":"t"}"#)
      try cast.hear(handler, #"{"op":"offer""#)
      cast.halfClose(sender)
      handler.say(#"{"op":"handled"}"#)
      try cast.hear(sender, #"{"op":"result""#, "handled")
      try cast.hearTheEnd(of: sender)
      let other = try cast.join()
      try cast.ask(other, #"{"op":"ping"}"#, #"{"op":"pong""#)
      cast.halfClose(other)
      try cast.hearTheEnd(of: other)
    },
    Act(name: "resets", speaksTLS: true) { cast in
      let sender = try cast.join()
      for state in 0..<6 {
        let victim = try cast.join()
        switch state {
        case 0: break
        case 1: victim.say(unended: #"{"op":"se"#)
        case 2: try cast.ask(victim, #"{"op":"subscribe","topics":["x"]}"#)
        case 3: victim.say(unended: #"{"op":"send","topic":"t","payload":""# + String(repeating: "x", count: 100_000))
        case 4:
          try cast.ask(victim, #"{"op":"insert","chain":"\#(cast.name)","handler":"v"}"#)
          sender.say(#"{"op":"send","chain":"\#(cast.name)","topic":"t"}"#)
          try cast.hear(victim, #"{"op":"offer""#)
        default: victim.halfClose()
        }
        victim.resetsAtTheEnd()
        cast.leave(victim)
      }
      try cast.hear(sender, #"{"op":"result""#, "unhandled")
    },
    Act(name: "what closes") { cast in
      let browser = try cast.join()
      try cast.ask(browser, "GET / HTTP/1.1", #"{"op":"error","code":"not_json_lines""#)
      try cast.hearTheEnd(of: browser)
      let careless = try cast.join()
      try cast.ask(careless, #"{"op":"ping","#, #"{"op":"error","code":"bad_json""#)
      try cast.ask(careless, #"{"op":"ping"}"#, #"{"op":"pong""#)
      careless.say(unended: #"{"op":"#)
      cast.halfClose(careless)
      try cast.hear(careless, #"{"op":"error","code":"bad_json""#)
      try cast.hearTheEnd(of: careless)
    },
    Act(name: "a crowd") { cast in
      var refused: Peer?
      for _ in 0..<32 where refused == nil {
        let peer = try cast.join()
        peer.say(#"{"op":"ping"}"#)
        let line = try cast.hear(peer, #"{"op":""#)
        if line.contains("too_many_connections") { refused = peer }
      }
      guard let refused else { throw Deviation("the crowd found room") }
      try cast.hearTheEnd(of: refused)
    },
  ]
}
