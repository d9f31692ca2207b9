/// What a handler answers.
public struct Verdict: Sendable {
  enum Kind: String {
    case handled, `continue`, reject, failed
  }

  let kind: Kind
  /// Made when the verdict is sent: a value that cannot be encoded is the handler's failure.
  let payload: (@Sendable () throws -> Payload)?
  let message: String?
  let code: Payload?

  /// The whole line, where another program spelled it.
  let spelled: VerdictLine?

  private init(
    _ kind: Kind, payload: (@Sendable () throws -> Payload)? = nil, message: String? = nil, code: Payload? = nil,
    spelled: VerdictLine? = nil
  ) {
    self.spelled = spelled
    self.kind = kind
    self.payload = payload
    self.message = message
    self.code = code
  }

  /// Taken care of; the walk ends here.
  public static let handled = Verdict(.handled)

  /// Taken care of, with an answer.
  public static func handled(_ value: some Encodable & Sendable) -> Verdict {
    Verdict(.handled, payload: { try Payload(value) })
  }

  /// Taken care of, with an answer that is JSON already.
  public static func handled(_ payload: Payload) -> Verdict { Verdict(.handled, payload: { payload }) }

  /// Not mine: the next link is asked.
  public static let `continue` = Verdict(.continue)

  /// Not mine, and later links see this value instead.
  public static func `continue`(rewriting value: some Encodable & Sendable) -> Verdict {
    Verdict(.continue, payload: { try Payload(value) })
  }

  /// Not mine, and later links see this JSON instead.
  public static func `continue`(rewriting payload: Payload) -> Verdict { Verdict(.continue, payload: { payload }) }

  /// A final no: the walk ends, and the sender is told why.
  public static func reject(_ message: String? = nil, code: Int) -> Verdict {
    Verdict(.reject, message: message, code: Payload(checked: Array(String(code).utf8)))
  }

  /// A final no: the walk ends, and the sender is told why.
  public static func reject(_ message: String? = nil, code: String? = nil) -> Verdict {
    Verdict(.reject, message: message, code: code.map { Payload(text: $0) })
  }

  /// I could not; the link's failure policy decides. The same as throwing.
  public static func failed(_ message: String? = nil) -> Verdict { Verdict(.failed, message: message) }

  /// What another program answered, passed on as that one spelled it.
  package static func line(_ line: VerdictLine) -> Verdict { Verdict(.handled, spelled: line) }

  /// The line to the server, ended. Throws what encoding the payload throws.
  func line(for id: Int) throws -> [UInt8] {
    if let spelled { return spelled.line(for: id) }
    var line = RequestLine(kind.rawValue)
    line.add("id", id)
    line.add("payload", try payload?())
    line.add("message", text: message.map { shortened($0, to: 1000) })
    line.add("code", code)
    return line.ended
  }
}
