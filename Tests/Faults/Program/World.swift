import Foundation
import ProgramKit

/// The life of one server. All acts are played, one after the other, at a TCP port and at a Unix socket, some of them over
/// TLS too, with the control client between them. Then all peers leave, and the server is told to end in the middle of a message.
final class World {
  let program: Program
  let household: Household
  /// The folder of the server's files.
  let folder: String
  private let places: [String]
  /// How many connections may end without a reason.
  private let allowedLosses: Int
  private var losses = 0
  /// The scenes in which a connection ended, and what was received instead.
  private(set) var disturbances: [String] = []
  /// Kilobytes of resident memory of the server, after each time that everything was played.
  private(set) var memory: [Int] = []
  private var control: ControlClient?
  private var scenes = 0

  init(_ program: Program, _ household: Household, folder: String, places: [String], allowedLosses: Int) {
    self.program = program
    self.household = household
    self.folder = folder
    self.places = places
    self.allowedLosses = allowedLosses
  }

  /// Plays everything `times` times.
  func play(times: Int) throws {
    // At the end of a round, the server has seen that the earlier peers have gone.
    try visitControl()
    let files = try program.openFiles().count
    for _ in 0..<times {
      for act in Act.all {
        for place in places where act.isPlayed(at: place) {
          try scene(act.name, at: place) { try act.play($0) }
          try visitControl()
        }
      }
      memory.append(program.residentKilobytes ?? 0)
    }
    try settle(at: files)
  }

  /// Plays the server's end; everything must be as it should be then.
  func end() throws {
    var isTold = false
    try lastScene { cast in
      let (handler, sender) = (try cast.join(), try cast.join())
      try cast.ask(handler, #"{"op":"insert","chain":"end","handler":"h"}"#)
      sender.say(#"{"op":"send","chain":"end","topic":"t"}"#)
      try cast.hear(handler, #"{"op":"offer""#)
      program.send(SIGTERM)
      isTold = true
      try cast.hear(sender, #"{"op":"draining""#)
      try cast.hear(handler, #"{"op":"draining""#)
      for peer in [sender, handler] { cast.letGo(peer) }
      handler.say(#"{"op":"handled"}"#)
      // If the handler's connection ends instead, the message is unhandled.
      try cast.hear(sender, #"{"op":"result""#)
      try cast.hearTheEnd(of: sender)
      try cast.hearTheEnd(of: handler)
    }
    control = nil
    // A second signal would end what is under way.
    if !isTold { program.send(SIGTERM) }
  }

  /// Plays the scene in which the server drains. Connections end there once nothing is under way. So if one has ended
  /// too early, the others may have ended too.
  private func lastScene(play: (Cast) throws -> Void) throws {
    let cast = Cast(at: places[2], name: "end", of: self)
    do {
      try play(cast)
    } catch let deviation as Deviation {
      try count(min(cast.losses(), 1), deviation, in: "the end")
    }
  }

  /// Plays a scene. If a peer receives something unexpected, a connection must have been lost.
  private func scene(_ name: String, at place: String, play: (Cast) throws -> Void) throws {
    scenes += 1
    let cast = Cast(at: place, name: "act\(scenes)", of: self)
    do {
      try play(cast)
    } catch let deviation as Deviation {
      try count(cast.losses(), deviation, in: "\(name) at \(place)")
      try tidyUp(after: cast)
    }
  }

  /// If a scene did not come to its end, what outlives its peers has to be removed.
  private func tidyUp(after cast: Cast) throws {
    cast.disperse()
    // These connections may end too, or may come before the server has seen the others go.
    for _ in 0..<1000 {
      let peer = try Peer(places[0])
      guard peer.ask(#"{"op":"unmount","chain":"\#(cast.name)","on":"\#(cast.name).house"}"#) != nil,
        peer.ask(#"{"op":"remove","chain":"\#(cast.name)","handler":"held"}"#) != nil
      else { continue }
      return try awaitRoom()
    }
    throw Failure("nobody gets in any more")
  }

  /// Waits until enough connections have ended that the server has room for an act. If nothing has gone wrong, one
  /// round of the control client is enough.
  private func awaitRoom() throws {
    for _ in 0..<1000 {
      let crowd = try (0..<8).map { _ in try Peer(places[0]) }
      let answers = crowd.map { $0.ask(#"{"op":"ping"}"#) ?? "" }
      if !answers.contains(where: { $0.contains("too_many_connections") }) { return }
    }
    throw Failure("the server does not see anybody go")
  }

  private func count(_ lost: Int, _ deviation: Deviation, in scene: String) throws {
    guard lost > 0 else { throw Failure("\(scene): \(deviation); and yet no connection has ended") }
    losses += lost
    disturbances.append("\(scene): \(deviation)")
    if losses > allowedLosses { throw Failure("\(scene): \(deviation); \(losses) connections have ended") }
  }

  private func meetControl() throws {
    while control == nil {
      try awaitRoom()
      let peers = try (0..<3).map { _ in try Peer(places[0]) }
      do {
        control = try ControlClient(peers)
      } catch let deviation as Deviation {
        try count(peers.count { $0.isLost() }, deviation, in: "control client")
      }
    }
  }

  /// The control client goes on as if nothing had happened, or one of its connections has ended.
  private func visitControl() throws { try withControl { try $0.round() } }

  private func withControl<Answer>(_ visit: (ControlClient) throws -> Answer) throws -> Answer {
    while true {
      try meetControl()
      guard let visited = control else { continue }
      do {
        return try visit(visited)
      } catch let deviation as Deviation {
        try count(visited.losses(), deviation, in: "control client")
        control = nil
      }
    }
  }

  /// All peers have left. Nothing of theirs may stay, neither links nor descriptors.
  private func settle(at files: Int) throws {
    let end = ContinuousClock.now + .milliseconds(Int(Program.patience))
    var rest = ""
    while ContinuousClock.now < end {
      try visitControl()
      let open = try program.openFiles().count
      let isAlone = try withControl { try $0.otherLinks() == 0 }
      if isAlone && open <= files { return }
      rest = "\(open) descriptors instead of \(files), \(isAlone ? "no" : "some") links of others"
    }
    throw Failure("something stays when everybody has left: \(rest)")
  }
}

extension Act {
  fileprivate func isPlayed(at place: String) -> Bool {
    if place.hasPrefix("tls ") { return speaksTLS }
    return !isForTLS && (!isForUnix || place.hasPrefix("unix "))
  }
}
