import BatonCore
import UV

/// Asks a link about recorded messages, over one connection to the replay's own server. A link of its own stands behind the
/// asked one: what comes there was passed on, with the payload that it has then.
final class ReplayPeer: LinePeer {
  /// What the link decided.
  struct Decision {
    /// As in a step; `not asked` if the message was not for the link.
    let outcome: String
    /// What the link made of the payload, if it passed the message on.
    var after: [UInt8]?
  }

  /// Called once the link is subscribed to; and once with an answer to each question.
  private let listens: () -> Void
  private let decided: (_ question: Int, Result<Decision, Refusal>) -> Void
  private let chain: String
  private let link: String
  private(set) var isReady = false
  private(set) var failure: String?
  private var asksToBeBehind = false
  private var wants = false
  /// The sender's name that the server knows now.
  private var name: String?
  /// What was passed on, by the numbers of the walks, until their results come.
  private var passed: [Int: [UInt8]] = [:]

  /// The server does not take a recorded message.
  struct Refusal: Error {
    let code: String
  }

  private static let behind = "baton-replay"
  private static let (inserted, removed) = ("$baton.link.inserted", "$baton.link.removed")
  /// Why it goes on no more when the link is served no more.
  static let left = "the program serves the link no more, and more is to be asked"

  init(
    _ stream: UV.Stream, chain: String, link: String, listens: @escaping () -> Void,
    decided: @escaping (_ question: Int, Result<Decision, Refusal>) -> Void
  ) {
    (self.chain, self.link, self.listens, self.decided) = (chain, link, listens, decided)
    super.init(stream)
  }

  override func opened() {
    say("{\"op\":\"subscribe\",\"id\":\"heard\",\"topics\":[\"\(Self.inserted)\",\"\(Self.removed)\"]}\n")
  }

  override func wantsFlush() { wants = true }
  override func lost(_ words: String) { failure = failure ?? words }

  /// Sends what waits. It is called in each turn.
  func turn() {
    if wants { flush() }
    wants = false
  }

  /// Asks. `members` is the message's own part of the line.
  func ask(_ question: Int, _ members: [UInt8], from sender: String, isBroadcast: Bool) {
    if sender != name {
      name = sender
      // A sender without a name has a number, which is not to be had.
      let said = complaint(name: sender) == nil ? ",\"name\":\"\(sender)\"" : ""
      say("{\"op\":\"hello\"\(said),\"reply\":false}\n")
    }
    say(
      isBroadcast
        ? "{\"op\":\"broadcast\",\"id\":\(question),\"via\":\"\(chain)\""
        : "{\"op\":\"send\",\"id\":\(question),\"chain\":\"\(chain)\"")
    members.withUnsafeBytes { say($0) }
    say("}\n")
  }

  // MARK: What comes

  override func took(_ line: UnsafeRawBufferPointer) {
    guard case .success(let object) = LoneValue.readChecked(line, maximumDepth: 10_000), object.kind == .object else {
      return lost("the server wrote what is no line")
    }
    let said = JSONMembers.members(of: object, in: line)
    switch said["op"] {
    case "offer": takeOffer(said, object, line)
    case "result": takeResult(said)
    case "event": takeEvent(said)
    case "ok": if said["id"] == "heard" { listens() } else if said["id"] == "behind" { isReady = true }
    case "error":
      guard let question = said["id"].flatMap({ Int($0) }) else {
        return lost("the server refused a line: \(said["message"] ?? "")")
      }
      decided(question, .failure(Refusal(code: said["code"] ?? "error")))
    default: break
    }
  }

  private func takeEvent(_ said: [String: String]) {
    guard var payload = said["payload"] else { return }
    let told = payload.withUTF8 { JSONMembers.object(UnsafeRawBufferPointer($0)) }
    guard told["chain"] == chain, told["handler"] == link else { return }
    if said["topic"] == Self.removed {
      // Results of what is asked from now on come behind this event.
      if told["connections"] == "0" { lost(Self.left) }
    } else if !asksToBeBehind {
      asksToBeBehind = true
      say(
        "{\"op\":\"insert\",\"id\":\"behind\",\"chain\":\"\(chain)\",\"handler\":\"\(Self.behind)\",\"after\":\"\(link)\","
          + "\"window\":65536}\n")
    }
  }

  private func takeOffer(_ said: [String: String], _ object: MemberValue, _ line: UnsafeRawBufferPointer) {
    guard let id = said["id"], let walk = said["walk"].flatMap({ Int($0) }) else { return }
    for (name, value) in ObjectMembers(of: object, in: line) where name.count == 9 {
      if name.bytes(in: line).elementsEqual("\"payload\"".utf8) { passed[walk] = Array(value.bytes(in: line)) }
    }
    say("{\"op\":\"handled\",\"id\":\(id)}\n")
  }

  private func takeResult(_ said: [String: String]) {
    guard let question = said["id"].flatMap({ Int($0) }), let walk = said["walk"].flatMap({ Int($0) }) else { return }
    let after = passed.removeValue(forKey: walk)
    decided(question, .success(Decision(outcome: outcome(said), after: after)))
  }

  private func outcome(_ said: [String: String]) -> String {
    let isOurs = said["by"] == link
    switch said["status"] {
    case "rejected" where isOurs: return "reject"
    case "handled" where isOurs: return "handled"
    case "failed" where isOurs: return said["cause"] ?? "failed"
    case "timeout": return "timeout"
    case "handled" where said["by"] == Self.behind:
      if var failures = said["failures"] {
        return failures.withUTF8 { JSONMembers.list(UnsafeRawBufferPointer($0)).first?["cause"] ?? "failed" }
      }
      return said["hops"] == "1" ? "not asked" : "continue"
    default: return "not asked"
    }
  }
}
