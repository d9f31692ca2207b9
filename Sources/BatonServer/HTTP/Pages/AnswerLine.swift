/// What an answer's status is, and the one header that says why: of a result `Baton-Status`, of an error `Baton-Error`.
struct AnswerMark: Equatable, Sendable {
  var status: Int
  /// `Baton-Status`, `Baton-Error`, or nothing.
  var name: String
  var value: String

  /// The headers that the mark brings.
  ///
  /// - Parameter secondsToDrain: how long a draining server goes on; nil if it does not drain.
  func headers(secondsToDrain: Int?) -> [(name: String, value: String)] {
    if name.isEmpty { return [] }
    var headers = [(name: name, value: value)]
    guard name == "Baton-Error" else { return headers }
    switch value {
    case "auth_required", "auth_failed": headers.append(("WWW-Authenticate", "Bearer"))
    case "busy", "too_many_connections": headers.append(("Retry-After", "1"))
    case "draining": headers.append(("Retry-After", String(max(secondsToDrain ?? 1, 1))))
    default: break
    }
    return headers
  }
}

/// What a line of the router is to a request that has one connection of its own.
enum AnswerKind: Equatable, Sendable {
  /// The line is not about the request: an event, or what the server tells everybody.
  case skip
  /// The greeting has been taken: now the op may come.
  case welcome
  /// The line is the answer.
  case answer(AnswerMark)
  /// The op without a reply has been taken in.
  case taken
  /// The message is stored. Its result comes later.
  case stored(AnswerMark)
}

/// Reads lines of the router. They have one spelling (contract, section 2): `op` comes first, then `id` if there is one,
/// then the `code` of an error or the `status` of a result.
enum AnswerLine {
  /// What a line is, which is given with or without its LF. It takes the same time for lines of any length.
  static func read(_ line: UnsafeRawBufferPointer) -> AnswerKind {
    var rest = Rest(line: line)
    guard rest.skip("{\"op\":\""), let op = rest.word() else { return .skip }
    switch op {
    case "result":
      _ = rest.skip(",\"id\":1")
      guard rest.skip(",\"status\":\""), let status = rest.word() else { return .skip }
      let code = isDead(line) ? 500 : HTTPStatus.of(result: status)
      return .answer(AnswerMark(status: code, name: "Baton-Status", value: status))
    case "error":
      _ = rest.skip(",\"id\":1") || rest.skip(",\"id\":2")
      guard rest.skip(",\"code\":\""), let code = rest.word() else { return .skip }
      return .answer(AnswerMark(status: HTTPStatus.of(code: code), name: "Baton-Error", value: code))
    case "ok": return .answer(AnswerMark(status: 200, name: "Baton-Status", value: "ok"))
    case "accepted": return .stored(AnswerMark(status: 202, name: "Baton-Status", value: "accepted"))
    case "explained", "chains", "findings", "walks", "stored", "dead":
      return .answer(AnswerMark(status: 200, name: "", value: ""))
    case "welcome": return .welcome
    case "pong": return .taken
    default: return .skip
    }
  }

  /// A line as the peer of a request gets it. Where an error says at which byte of the line a member is, that is left out:
  /// the door has made the line, and the peer has never seen it.
  static func shown(_ line: UnsafeRawBufferPointer, _ mark: AnswerMark) -> [UInt8] {
    guard mark.value == "bad_member", mark.name == "Baton-Error" else { return Array(line) }
    let rest = line.dropLast(end.count)
    guard line.suffix(end.count).elementsEqual(end),
      let digit = rest.lastIndex(where: { !(48...57 ~= $0) }), digit < rest.endIndex - 1,
      rest[...digit].suffix(place.count).elementsEqual(place)
    else { return Array(line) }
    return rest[...digit].dropLast(place.count) + end
  }

  private static let end = Array("\"}\n".utf8)
  private static let place = Array(", at byte ".utf8)

  /// Whether a result is that of a dead letter. The server writes it as the last member: what a peer has written stands
  /// before it, and in braces or quotes of its own.
  private static func isDead(_ line: UnsafeRawBufferPointer) -> Bool {
    let text = line.last == 10 ? line[..<(line.count - 1)] : line[...]
    return text.suffix(dead.count).elementsEqual(dead)
  }

  private static let dead = Array(",\"dead\":true}".utf8)

  /// What of a line has not been read.
  private struct Rest {
    let line: UnsafeRawBufferPointer
    var at = 0

    /// Goes behind `text` if it stands here.
    mutating func skip(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard line.count - at >= count else { return false }
      for index in 0..<count where line[at + index] != text.utf8Start[index] { return false }
      at += count
      return true
    }

    /// The word up to the next quote, behind which it goes; nil if it is no word of the router: it has at most 32 of
    /// the characters `a-z _`. So it can stand in a header.
    mutating func word() -> String? {
      var end = at
      while end < line.count, end - at <= 32, line[end] == UInt8(ascii: "_") || 97...122 ~= line[end] { end += 1 }
      guard end > at, end - at <= 32, end < line.count, line[end] == UInt8(ascii: "\"") else { return nil }
      defer { at = end + 1 }
      return String(decoding: UnsafeRawBufferPointer(rebasing: line[at..<end]), as: UTF8.self)
    }
  }
}
