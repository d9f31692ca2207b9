/// What a handler answers.
public struct Verdict: Sendable {
  /// Which answer it is.
  public enum Kind: String, Sendable {
    case handled, `continue`, reject, failed
  }

  /// Which answer it is.
  public let kind: Kind
  /// Made when the verdict is sent. If the value cannot be encoded, the verdict is `failed`.
  private let makePayload: (@Sendable () throws -> Payload)?
  /// Why, for people. That of `reject` and `failed` goes to the sender.
  public let message: String?
  /// The `code` of a rejection, as JSON: a string or an integer.
  public let code: Payload?

  /// The whole line, where another program wrote it.
  let spelled: VerdictLine?

  private init(
    _ kind: Kind, payload: (@Sendable () throws -> Payload)? = nil, message: String? = nil, code: Payload? = nil,
    spelled: VerdictLine? = nil
  ) {
    self.spelled = spelled
    self.kind = kind
    makePayload = payload
    self.message = message
    self.code = code
  }

  /// The message is taken care of, and its walk ends.
  public static let handled = Verdict(.handled)

  /// The message is taken care of. `message` says why: it stands in traces and walks alone, and is cut to 1000 bytes.
  public static func handled(message: String) -> Verdict { Verdict(.handled, message: message) }

  /// The message is taken care of, with an answer to the sender.
  public static func handled(_ value: some Encodable & Sendable, message: String? = nil) -> Verdict {
    Verdict(.handled, payload: { try Payload(value) }, message: message)
  }

  /// The message is taken care of, with an answer that is JSON already.
  public static func handled(_ payload: Payload, message: String? = nil) -> Verdict {
    Verdict(.handled, payload: { payload }, message: message)
  }

  /// The next link is asked.
  public static let `continue` = Verdict(.continue)

  /// The next link is asked. `message` says why, as that of `handled`.
  public static func `continue`(message: String) -> Verdict { Verdict(.continue, message: message) }

  /// The next link is asked, and later links see this value in place of the payload.
  public static func `continue`(rewriting value: some Encodable & Sendable, message: String? = nil) -> Verdict {
    Verdict(.continue, payload: { try Payload(value) }, message: message)
  }

  /// The next link is asked, and later links see this JSON in place of the payload.
  public static func `continue`(rewriting payload: Payload, message: String? = nil) -> Verdict {
    Verdict(.continue, payload: { payload }, message: message)
  }

  /// The message is refused: its walk ends, and the sender is told why.
  public static func reject(_ message: String? = nil, code: Int) -> Verdict {
    Verdict(.reject, message: message, code: Payload(checked: Array(String(code).utf8)))
  }

  /// The message is refused: its walk ends, and the sender is told why.
  public static func reject(_ message: String? = nil, code: String? = nil) -> Verdict {
    Verdict(.reject, message: message, code: code.map { Payload(text: $0) })
  }

  /// The handler could not do it: the failure policy of the link decides. Throwing does the same.
  public static func failed(_ message: String? = nil) -> Verdict { Verdict(.failed, message: message) }

  /// The answer of another program, passed on byte for byte.
  package static func line(_ line: VerdictLine) -> Verdict { Verdict(.handled, spelled: line) }

  /// What it is, in the contract's word, and what it says: for people.
  package var told: (kind: String, payload: Payload?, message: String?) {
    guard let line = spelled?.read else { return (kind.rawValue, payload, message) }
    return (line.op, line.payload("payload"), line.text("message"))
  }

  /// The answer to the sender, or what later links see; nil where nothing was given, or where it cannot be encoded.
  public var payload: Payload? { try? makePayload?() }

  /// The same with its payload made; `failed` if that cannot be done.
  var made: Verdict {
    guard let makePayload else { return self }
    do {
      let payload = try makePayload()
      return Verdict(kind, payload: { payload }, message: message, code: code, spelled: spelled)
    } catch {
      return .failed("\(error)")
    }
  }

  /// The line to the server, ended. Throws what encoding the payload throws.
  package func line(for id: Int) throws -> [UInt8] {
    if let spelled { return spelled.line(for: id) }
    var line = RequestLine(kind.rawValue)
    line.add("id", id)
    line.add("payload", try makePayload?())
    line.add("message", text: message.map { shortened($0, to: 1000) })
    line.add("code", code)
    return line.ended
  }

  /// Why the server gets `failed` in its place, for people; nil if it can be sent.
  package func fault(for message: Message) -> String? {
    guard let id = message.id else { return nil }
    var checker = Connection.checker
    do { return Connection.fault(ofAnswer: try line(for: id), most: message.maxLine, by: &checker) } catch {
      return "\(error)"
    }
  }
}

/// Verdicts are equal if they mean the same: members of payloads may come in any order.
extension Verdict: Equatable, CustomStringConvertible {
  /// Whether they mean the same.
  public static func == (left: Verdict, right: Verdict) -> Bool {
    guard left.kind == right.kind, left.message == right.message, left.code == right.code else { return false }
    switch (left.payload, right.payload) {
    case (let left?, let right?): return left.means(right)
    case (nil, nil): return left.spelled == right.spelled
    default: return false
    }
  }

  /// One phrase for people.
  public var description: String {
    let parts = [payload?.json, message?.debugDescription, code.map { "code: \($0)" }].compactMap { $0 }
    return kind.rawValue + (parts.isEmpty ? "" : "(\(parts.joined(separator: ", ")))")
  }
}

/// A line that answers an offer, as another program wrote it. The server judges its members other than `op` and `id`.
package struct VerdictLine: Sendable, Equatable {
  /// Why a line is not a verdict.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String
    /// The offer that it names.
    package let id: Int?

    package init(_ description: String, id: Int? = nil) {
      self.description = description
      self.id = id
    }
  }

  /// Whether it only says that the work goes on.
  package let isWorking: Bool
  /// The offer that it names; nil if it names none.
  package let id: Int?
  private let bytes: [UInt8]
  /// Where the offer's number stands in it.
  private let place: Range<Int>?

  /// Takes a line without its end.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard let line = ServerLine(bytes) else { throw Fault("it is no JSON object") }
    guard ["handled", "continue", "reject", "failed", "working"].contains(line.op) else {
      throw Fault("\"op\" is none of handled, continue, reject, failed and working", id: line.integer("id"))
    }
    place = line.range(of: "id")
    id = line.integer("id")
    if place != nil, id == nil { throw Fault("\"id\" is not an offer's number") }
    isWorking = line.op == "working"
    self.bytes = bytes
  }

  /// Its members.
  fileprivate var read: ServerLine? { ServerLine(bytes) }

  /// The line to the server, ended, with this number of the offer.
  func line(for number: Int) -> [UInt8] {
    var line = bytes
    if let place {
      line.replaceSubrange(place, with: "\(number)".utf8)
    } else if let brace = line.firstIndex(of: UInt8(ascii: "{")) {
      line.insert(contentsOf: "\"id\":\(number),".utf8, at: brace + 1)
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
