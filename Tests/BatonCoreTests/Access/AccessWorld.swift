import DoorKit

@testable import BatonCore

/// A server with chains, messages, subscribers, a guarded place that is served and one that is empty, a kept place and a
/// mount; and one peer, `me`, whose rights a test chooses. `boss` may do everything, serves everything and hears
/// everything.
struct AccessWorld {
  let stage: Stage

  /// Rights that are of no use for anything in this world: they must never be taken for others.
  static let useless = [
    "send to elsewhere", "broadcast elsewhere.>", "broadcast > via elsewhere", "subscribe elsewhere.>", "see elsewhere",
    "serve elsewhere", "serve main/elsewhere", "manage elsewhere",
  ]

  init(_ rights: [String], isEmpty: Bool = false) throws {
    var settings = Settings()
    settings.maxErrors = 1000
    if !isEmpty { for place in ["main/policy", "main/gate"] { settings.declareGuard(try GuardedPlace(place)) } }
    stage = Stage(settings, entries: ["boss": ["everything"], "me": rights], store: MemoryStore())
    stage.signIn("boss")
    if !isEmpty { furnish() }
    stage.signIn("me")
    _ = stage.hear("boss")
  }

  private func furnish() {
    stage.signIn("lost", as: "boss")
    stage.say("lost", #"{"op":"insert","handler":"kept","accepts":["k.a"],"required":true,"on_failure":"stop"}"#)
    stage.close("lost")
    stage.say(
      "boss", #"{"op":"insert","handler":"policy"}"#, #"{"op":"insert","handler":"porter"}"#,
      #"{"op":"insert","handler":"shared","share":true}"#, #"{"op":"insert","chain":"kitchen","handler":"cook"}"#,
      #"{"op":"insert","chain":"house","handler":"butler"}"#, #"{"op":"mount","chain":"house","on":"kitchen"}"#,
      #"{"op":"subscribe","topics":[">","$baton.link.>","$baton.message.>","$baton.trace","$baton.reloaded"]}"#,
      #"{"op":"send","chain":"kitchen","topic":"under.way"}"#, #"{"op":"send","chain":"house","topic":"told"}"#,
      #"{"op":"send","chain":"main","topic":"k.a","timeout_ms":1}"#)
    stage.advance(milliseconds: 5)
    let errors = stage.hear("boss").filter { $0.member("op") == "error" }
    precondition(errors.isEmpty, "\(errors)")
  }

  /// What `me` gets for these lines.
  func ask(_ lines: String...) -> [String] {
    for line in lines { stage.say("me", line) }
    return stage.hear("me")
  }

  /// All that a peer that may see everything sees. Others hear nothing of its questions.
  func look() -> [String] {
    let seen = #","server":true,"messages":true,"connections":true,"changes":true,"history":true"#
    stage.say(
      "boss", #"{"op":"inspect"\#(seen)}"#, #"{"op":"walks"}"#, #"{"op":"findings"}"#,
      #"{"op":"explain","topic":"k.a"}"#, #"{"op":"explain","topic":"t","chain":"house"}"#)
    return stage.hear("boss") + stage.census.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
  }
}

extension [String] {
  /// The codes of the lines that are errors.
  var refusals: [String] { filter { $0.member("op") == "error" }.codes }
}
