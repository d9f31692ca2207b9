import FuzzKit
import ProgramKit

/// Sees that the server keeps what it has accepted, whatever the mutants do: messages for a chain that nobody serves, and
/// a value. They must be there after the run, and again after the next start. What has ended must not.
struct Witness {
  private let household: Household
  /// The names of its messages.
  private var stored: [String] = []

  private static let messages = 20
  private static let topic = "value-of-the-witness"

  /// Stores its messages and its value. They wait longer than any run takes.
  init(_ server: RunningServer, _ household: Household) throws {
    self.household = household
    let peer = try Self.peer(server, household)
    for number in 1...Self.messages {
      let answer = peer.ask(Self.send(number)) ?? ""
      let name = LineMembers(Array(answer.utf8))?.value(of: "stored")
      guard let name, !answer.contains("known") else { throw Self.deviation(answer) }
      stored.append(String(decoding: name, as: UTF8.self))
    }
    let value = #"{"op":"broadcast","id":1,"topic":"\#(Self.topic)","payload":"there","retain":true}"#
    let answer = peer.ask(value) ?? ""
    guard answer.hasPrefix(#"{"op":"ok","id":1,"#) else { throw Self.deviation(answer) }
  }

  private static func send(_ number: Int) -> String {
    #"{"op":"send","id":\#(number),"topic":"t","chain":"\#(Household.vault)","payload":\#(number),"durable":true,"#
      + #""once":"witness \#(number)","expires_ms":86400000,"retry_ms":600000}"#
  }

  /// Looks for all of it. What is in `ended` must not be there.
  func look(_ server: RunningServer, ended: [[UInt8]]) throws {
    let peer = try Self.peer(server, household)
    for (number, name) in zip(1..., stored) {
      var answer: String
      // A reload lets it be tried, in vain.
      let end = ContinuousClock.now + .seconds(10)
      repeat {
        answer = peer.ask(#"{"op":"stored","id":0,"stored":\#(name)}"#) ?? ""
      } while answer.contains(#""state":"under_way""#) && ContinuousClock.now < end
      guard answer.contains(#""chain":"\#(Household.vault)","state":"waiting","tries":0,"#) else {
        throw Self.deviation(answer)
      }
      let again = peer.ask(Self.send(number)) ?? ""
      guard again == #"{"op":"accepted","id":\#(number),"stored":\#(name),"known":true}"# else {
        throw Self.deviation(again)
      }
    }
    for name in ended {
      let answer = peer.ask(#"{"op":"stored","id":0,"stored":\#(String(decoding: name, as: UTF8.self))}"#) ?? ""
      guard answer.contains(#""code":"no_such_message""#) else { throw Deviation("it has ended, and yet: \(answer)") }
    }
    _ = peer.ask(#"{"op":"subscribe","topics":["\#(Self.topic)"],"retained":true}"#)
    let value = peer.line() ?? ""
    guard value.contains(#""payload":"there","#) else { throw Self.deviation(value) }
  }

  private static func peer(_ server: RunningServer, _ household: Household) throws -> Peer {
    let peer = try Peer(server.place)
    let answer = peer.ask(Household.hello(household.witnessToken)) ?? ""
    guard answer.hasPrefix(#"{"op":"welcome""#) else { throw deviation(answer) }
    return peer
  }

  private static func deviation(_ answer: String) -> Deviation { Deviation("the witness was answered \(answer)") }
}
