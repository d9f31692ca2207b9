import Foundation
import ProgramKit

extension Act {
  /// Identities, tokens and certificates.
  static let access = [
    Act(name: "tokens", speaksTLS: true) { cast in
      let (web, liar) = (try cast.join(), try cast.join())
      try cast.ask(web, #"{"op":"hello","token":"\#(Household.token)","name":"n"}"#, #"{"op":"welcome""#)
      try cast.ask(web, #"{"op":"whoami"}"#, #"{"op":""#)
      try cast.ask(web, #"{"op":"insert","chain":"\#(cast.name)","handler":"h"}"#)
      try cast.ask(
        liar, #"{"op":"hello","token":"\#(Household.token.dropLast())"}"#, #"{"op":"error","code":"auth_failed""#)
      try cast.hearTheEnd(of: liar)
      try cast.ask(web, #"{"op":"ping"}"#, #"{"op":"pong""#)
    },
    Act(name: "a renewed certificate", isForTLS: true, speaksTLS: true) { cast in
      let peer = try cast.join()
      try cast.ask(peer, #"{"op":"ping"}"#, #"{"op":"pong""#)
      try cast.household.install(1, in: cast.folder)
      // The reload may be what fails: then nothing changes.
      try cast.ask(peer, #"{"op":"reload"}"#, #"{"op":""#)
      let other = try cast.join()
      try cast.ask(other, #"{"op":"ping"}"#, #"{"op":"pong""#)
      // A certificate that is none changes nothing.
      try Data("nonsense".utf8).write(to: URL(fileURLWithPath: cast.folder + "/server.pem"))
      cast.program.send(SIGHUP)
      try cast.ask(other, #"{"op":"ping"}"#, #"{"op":"pong""#)
      let last = try cast.join()
      try cast.ask(last, #"{"op":"ping"}"#, #"{"op":"pong""#)
      try cast.household.install(0, in: cast.folder)
    },
  ]
}
