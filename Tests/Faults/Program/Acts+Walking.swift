import ProgramKit

/// One scene that is played against the server, by its own peers.
struct Act: Sendable {
  let name: String
  /// Whether it is only for Unix sockets, for which the kernel keeps few bytes.
  var isForUnix = false
  /// Whether it is only for encrypted connections.
  var isForTLS = false
  /// Whether it is also played over encrypted connections: what they have of their own is the same in all scenes.
  var speaksTLS = false
  let play: @Sendable (Cast) throws -> Void

  /// All of them.
  static let all = walking + broadcasting + access + ending
}

extension Act {
  /// Messages on their way along chains.
  static let walking = [
    Act(name: "two handlers", speaksTLS: true) { cast in
      let (first, last, sender) = (try cast.join(), try cast.join(), try cast.join())
      try cast.ask(first, #"{"op":"insert","chain":"\#(cast.name)","handler":"first"}"#)
      try cast.ask(last, #"{"op":"insert","chain":"\#(cast.name)","handler":"last"}"#)
      for round in 1...10 {
        let long = String(repeating: "x", count: round * 1000)
        sender.say(#"{"op":"send","id":\#(round),"chain":"\#(cast.name)","topic":"a.b","payload":"\#(long)"}"#)
        try cast.hear(first, #"{"op":"offer""#)
        first.say(#"{"op":"continue","payload":\#(round)}"#)
        try cast.hear(last, #"{"op":"offer""#, #""payload":\#(round)"#)
        last.say(round % 2 == 0 ? #"{"op":"handled"}"# : #"{"op":"reject","message":"no"}"#)
        try cast.hear(sender, #"{"op":"result","id":\#(round)"#, round % 2 == 0 ? "handled" : "rejected")
      }
      try cast.ask(first, #"{"op":"remove","chain":"\#(cast.name)","handler":"first"}"#)
      try cast.ask(sender, #"{"op":"send","chain":"\#(cast.name)","topic":"t","mode":"notify"}"#)
      try cast.hear(last, #"{"op":"notice""#)
    },
    Act(name: "replicas, one replaced") { cast in
      let replicas = [try cast.join(), try cast.join()]
      let (heir, sender) = (try cast.join(), try cast.join())
      for replica in replicas {
        try cast.ask(replica, #"{"op":"insert","chain":"\#(cast.name)","handler":"shared","share":true}"#)
      }
      sender.say(#"{"op":"send","chain":"\#(cast.name)","topic":"t"}"#)
      sender.say(#"{"op":"send","chain":"\#(cast.name)","topic":"t"}"#)
      for replica in replicas { try cast.hear(replica, #"{"op":"offer""#) }
      try cast.ask(heir, #"{"op":"replace","chain":"\#(cast.name)","handler":"shared"}"#)
      for replica in replicas {
        try cast.hear(replica, #"{"op":"replaced""#)
        replica.say(#"{"op":"handled"}"#)
        try cast.hear(sender, #"{"op":"result""#, "handled")
      }
    },
    Act(name: "deadlines") { cast in
      let (handler, sender) = (try cast.join(), try cast.join())
      try cast.ask(handler, #"{"op":"insert","chain":"\#(cast.name)","handler":"late"}"#)
      for _ in 0..<2 {
        sender.say(#"{"op":"send","chain":"\#(cast.name)","topic":"t","key":"k","timeout_ms":2}"#)
        try cast.hear(handler, #"{"op":"offer""#)
        try cast.hear(sender, #"{"op":"result""#, "timeout")
        try cast.hear(handler, #"{"op":"lapsed""#)
      }
      // Neither offer was answered in time: both verdicts are late now.
      for _ in 0..<2 { try cast.ask(handler, #"{"op":"handled"}"#, #"{"op":"error""#) }
    },
    Act(name: "a held place") { cast in
      var handler: Peer? = try cast.join()
      let sender = try cast.join()
      let insert = #"{"op":"insert","chain":"\#(cast.name)","handler":"held","hold_ms":60000}"#
      guard let first = handler else { return }
      try cast.ask(first, insert)
      sender.say(#"{"op":"send","chain":"\#(cast.name)","topic":"t"}"#)
      try cast.hear(first, #"{"op":"offer""#)
      try cast.ask(first, #"{"op":"ping"}"#, #"{"op":"pong""#)
      cast.halfClose(first)
      try cast.hearTheEnd(of: first)
      handler = try cast.join()
      guard let second = handler else { return }
      try cast.ask(second, insert)
      try cast.hear(second, #"{"op":"offer""#, #""again":true"#)
      second.say(#"{"op":"handled"}"#)
      try cast.hear(sender, #"{"op":"result""#, "handled")
      try cast.ask(second, #"{"op":"remove","chain":"\#(cast.name)","handler":"held"}"#)
    },
    Act(name: "a mount, asked about") { cast in
      let (house, sender) = (try cast.join(), try cast.join())
      try cast.ask(house, #"{"op":"insert","chain":"\#(cast.name).house","handler":"house"}"#)
      try cast.ask(sender, #"{"op":"mount","chain":"\#(cast.name)","on":"\#(cast.name).house"}"#)
      sender.say(#"{"op":"send","chain":"\#(cast.name)","topic":"t"}"#)
      try cast.hear(house, #"{"op":"offer""#)
      house.say(#"{"op":"failed","message":"x"}"#)
      try cast.hear(sender, #"{"op":"result""#, "unhandled")
      try cast.ask(sender, #"{"op":"unmount","chain":"\#(cast.name)","on":"\#(cast.name).house"}"#)
      try cast.ask(sender, #"{"op":"hello","name":"me"}"#, #"{"op":"welcome""#)
      try cast.ask(sender, #"{"op":"inspect"}"#, #"{"op":"chains""#)
      try cast.ask(sender, #"{"op":"help"}"#, #"{"op":"help""#)
    },
  ]
}
