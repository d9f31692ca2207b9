import BatonClient

/// What a person asks the desk: a message down the chain `approvals`.
struct ApprovalRequest: Sendable {
  enum What: Sendable {
    case list
    case show(from: Int)
    case decide(Answer)
  }

  enum Answer: Sendable, Equatable {
    case approve
    case refuse(String)
  }

  let what: What
  /// The question; empty for a list.
  let id: String
  /// Who asks: an identity, or whoever has a link.
  let who: Who

  enum Who: Sendable {
    case identity(String)
    case link(secret: String, pin: String?, as: String?)
  }

  /// The members of a payload, as no other reader can read them in another way.
  private struct Members {
    private static let known = ["id", "verdict", "reason", "secret", "pin", "at"]
    private let bytes: [UInt8]
    private let tree: JSONTree?

    init(_ payload: Payload?) throws(ApprovalRefusal) {
      guard let payload else {
        (bytes, tree) = ([], nil)
        return
      }
      bytes = payload.bytes
      let tree: JSONTree
      do throws(JSONTree.Fault) { tree = try JSONTree(bytes) } catch {
        throw .bad("the payload cannot be read: \(error.words)")
      }
      guard let members = tree.members else { throw .bad("the payload is no object") }
      self.tree = tree
      let names = members.map(\.name)
      guard let other = names.first(where: { !Self.known.contains($0) }) else { return }
      throw .bad("the payload has a member that is none of \(Self.known.joined(separator: ", ")): \(other.prefix(60))")
    }

    func text(_ name: String) throws(ApprovalRefusal) -> String? {
      guard let value = tree?[name] else { return nil }
      guard let text = value.text else { throw .bad("\(name) is a text") }
      return text
    }

    func integer(_ name: String) throws(ApprovalRefusal) -> Int? {
      guard let value = tree?[name] else { return nil }
      guard case .number = value.value, let number = Int(String(decoding: bytes[value.range], as: UTF8.self)) else {
        throw .bad("\(name) is a whole number")
      }
      return number
    }
  }

  /// The longest reason, in characters.
  static let mostReason = 500

  init(_ what: What, _ id: String, _ who: Who) { (self.what, self.id, self.who) = (what, id, who) }

  /// Reads a message. `asks`: whether the server asks everybody who is there. Throws what the person is told.
  init(_ message: Message, asks: Bool) throws(ApprovalRefusal) {
    let words = message.topic.split(separator: ".").dropFirst().map(String.init)
    let identity = asks ? Self.identity(message.from) : nil
    let members = try Members(message.payload)
    if words.first == "link" {
      guard let secret = try members.text("secret") else { throw .bad("secret is missing") }
      who = .link(secret: secret, pin: try members.text("pin"), as: identity)
    } else if let identity {
      who = .identity(identity)
    } else {
      throw ApprovalRefusal(
        "not_an_identity",
        asks
          ? "only an identity decides without a link"
          : "this server is without authentication: only a link decides; write peers into its configuration file")
    }
    switch words.dropFirst(words.first == "link" ? 1 : 0).joined(separator: ".") {
    case "list" where words.count == 1: (what, id) = (.list, "")
    case "show": (what, id) = (.show(from: max(try members.integer("at") ?? 0, 0)), try Self.id(members))
    case "decide": (what, id) = (.decide(try Self.answer(members)), try Self.id(members))
    default: throw .bad("there is no topic \(message.topic)")
    }
  }

  private static func id(_ members: Members) throws(ApprovalRefusal) -> String {
    guard let id = try members.text("id") else { throw .bad("id is missing") }
    return id
  }

  private static func answer(_ members: Members) throws(ApprovalRefusal) -> Answer {
    switch try members.text("verdict") {
    case "approve": return .approve
    case "refuse":
      let reason = String((try members.text("reason") ?? "").drop { $0.isWhitespace }.prefix(mostReason))
      guard !reason.isEmpty else { throw .bad("a refusal needs a reason") }
      return .refuse(reason)
    default: throw .bad("verdict is approve or refuse")
    }
  }

  /// The identity of a sender; nil if it has none. On a server that asks who is there, the server puts it in front.
  private static func identity(_ from: String) -> String? {
    from.hasPrefix("#") || from == "anonymous" || from.hasPrefix("anonymous.") ? nil : from
  }
}

/// Why a person gets no answer: the code and the words of a `reject`.
struct ApprovalRefusal: Error, Equatable {
  let code: String
  let words: String

  init(_ code: String, _ words: String) { (self.code, self.words) = (code, words) }

  static func bad(_ words: String) -> ApprovalRefusal { ApprovalRefusal("bad_request", words) }
  static let noSuchQuestion = ApprovalRefusal(
    "no_such_question", "there is no such question; it may have ended long ago, or the desk was started again")
}
