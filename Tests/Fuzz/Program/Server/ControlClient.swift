import FuzzKit
import UV

/// A sender, a handler and a subscriber who mind their own business on a chain of their own, in lock step, while the
/// mutants rage: each message gets its result, each broadcast its event, in order, and nothing else comes.
final class ControlClient {
  /// No mutant can guess it.
  private let chain = "control-\(UInt64.random(in: .min ... .max))"
  private let sender: ControlPeer
  private let handler: ControlPeer
  private let listener: ControlPeer
  private var next: () -> Void = {}
  private var isFinishing = false
  /// Rounds done: one message with its result and one broadcast with its event each.
  private(set) var rounds = 0
  /// Every op that the server knows, by its own account.
  private(set) var ops: [String] = []
  /// True once the chain is the only one left.
  private(set) var isAlone = false
  /// Called with what went wrong.
  var lost: (String) -> Void = { _ in } {
    didSet { for peer in peers { peer.lost = lost } }
  }

  init(port: UInt16, loop: Loop) throws {
    sender = try ControlPeer("sender", port: port, loop: loop)
    handler = try ControlPeer("handler", port: port, loop: loop)
    listener = try ControlPeer("listener", port: port, loop: loop)
  }

  private var peers: [ControlPeer] { [sender, handler, listener] }

  /// What it waits for.
  var waitsFor: String {
    peers.filter { !$0.expected.isEmpty }.map { "\($0.name): \($0.expected)" }.joined(separator: ", ")
  }

  /// Takes its places and calls `ready`; goes on with its rounds from then on.
  func start(ready: @escaping () -> Void) {
    for peer in peers { peer.heard = { [unowned self] in heard($0) } }
    handler.say(#"{"op":"insert","chain":"\#(chain)","handler":"control"}"#, expecting: ["op": #""ok""#, "links": "1"])
    listener.say(#"{"op":"subscribe","topics":["\#(chain).tick"]}"#, expecting: ["op": #""ok""#])
    sender.say(#"{"op":"help"}"#, expecting: ["op": #""help""#])
    next = { [unowned self] in
      ready()
      send()
    }
  }

  /// After the round that is under way, asks which links are served until it is only its own.
  func finish() { isFinishing = true }

  func close() { for peer in peers { peer.close() } }

  private func heard(_ line: [UInt8]) {
    if let members = LineMembers(line), members.op == "help", let examples = members.value(of: "ops") {
      ops = String(decoding: examples, as: UTF8.self).split(separator: "{").compactMap {
        LineMembers(Array("{\($0)".utf8), atMost: 1)?.op
      }
    }
    if let members = LineMembers(line), members.op == "chains", let chains = members.value(of: "chains") {
      // Mounts, and places that are held or required, stay when their makers are gone; nobody serves them.
      let served = String(decoding: chains, as: UTF8.self).split(separator: #""connections":"#).dropFirst()
      isAlone = served.count { !$0.hasPrefix("0,") } == 1
    }
    if peers.allSatisfy(\.expected.isEmpty) { next() }
  }

  private func send() {
    if isFinishing { return look() }
    let number = "\(rounds + 1)"
    handler.expect(["op": #""offer""#, "id": number, "chain": "\"\(chain)\"", "payload": number])
    // A deadline that no slow machine meets: only a lost message may end without the handler's answer.
    let send = #"{"op":"send","id":\#(number),"chain":"\#(chain)","topic":"step","timeout_ms":3600000"#
    sender.say(#"\#(send),"payload":\#(number)}"#)
    next = { [unowned self] in answer(number) }
  }

  private func answer(_ number: String) {
    sender.expect(["op": #""result""#, "id": number, "status": #""handled""#, "payload": "-\(number)", "hops": "1"])
    handler.say(#"{"op":"handled","id":\#(number),"payload":-\#(number)}"#)
    next = { [unowned self] in broadcast(number) }
  }

  private func broadcast(_ number: String) {
    listener.expect(["op": #""event""#, "topic": #""\#(chain).tick""#, "payload": number])
    sender.say(
      #"{"op":"broadcast","id":\#(number),"topic":"\#(chain).tick","payload":\#(number)}"#,
      expecting: ["op": #""ok""#, "id": number])
    next = { [unowned self] in
      rounds += 1
      send()
    }
  }

  private func look() {
    guard !isAlone else { return }
    sender.say(#"{"op":"inspect"}"#, expecting: ["op": #""chains""#])
    next = { [unowned self] in look() }
  }
}
