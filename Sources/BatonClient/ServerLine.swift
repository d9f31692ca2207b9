internal import BatonCore

/// One line from the server, or an object in one, parsed. Unknown members are ignored, so that the server can grow. A member
/// of the wrong kind, or beyond what it may be, counts as absent; of one that is given twice the last one counts.
package struct ServerLine: Sendable {
  /// The largest whole number that a server says: every language has it exactly. Sums of such numbers end there, too.
  package static let most = 1 << 53 - 1
  /// The longest times that a server says, in milliseconds: of a message and its offers, and for what lasts.
  static let day = Int(MemberRange.timeoutMilliseconds.upperBound)
  static let week = Int(MemberRange.expiresMilliseconds.upperBound)
  /// No rank is longer. It goes back to the server as it came.
  private static let mostRank = 32

  private let bytes: [UInt8]
  private let members: [(name: MemberValue, value: MemberValue)]
  /// What kind of line it is; empty where it does not say.
  let op: String

  /// Parses a line without its line feed; nil where it is not a JSON object, which no server sends.
  init?(_ line: UnsafeRawBufferPointer, by scanner: inout LineScanner) {
    guard scanner.scan(line) == nil else { return nil }
    self.init(valid: Array(line))
  }

  /// Parses a line that need not come from the server; nil where it is not a JSON object.
  package init?(_ line: [UInt8]) {
    var scanner = LineScanner(maximumDepth: 10_000)
    // The scanner wants the line's end to be there.
    let ended = line + [UInt8(ascii: "\n")]
    guard ended.withUnsafeBytes({ scanner.scan(UnsafeRawBufferPointer(rebasing: $0.dropLast())) == nil }) else {
      return nil
    }
    self.init(valid: line)
  }

  private init(valid bytes: [UInt8]) {
    self.bytes = bytes
    let members: [(name: MemberValue, value: MemberValue)]
    (members, op) = bytes.withUnsafeBytes { line in
      let members = LineScanner.membersAsTheyStand(in: line).map { ($0.name, $0.value) }
      return (members, members.last { $0.0.isText("op", in: line) }.flatMap { ServerLine.text($0.1, in: line) } ?? "")
    }
    self.members = members
  }

  private func value(_ name: StaticString) -> MemberValue? {
    bytes.withUnsafeBytes { line in members.last { $0.name.isText(name, in: line) }?.value }
  }

  package var whole: Payload { Payload(checked: bytes) }

  /// A string's text.
  package func text(_ name: StaticString) -> String? { value(name).flatMap(text) }

  private func text(_ value: MemberValue) -> String? { bytes.withUnsafeBytes { ServerLine.text(value, in: $0) } }

  private static func text(_ value: MemberValue, in line: UnsafeRawBufferPointer) -> String? {
    guard value.kind.isText else { return nil }
    return String(unsafeUninitializedCapacity: value.count) { target in
      value.copyText(in: line, into: UnsafeMutableRawBufferPointer(target))
    }
  }

  /// A whole number.
  package func integer(_ name: StaticString, from least: Int = 0, to most: Int = ServerLine.most) -> Int? {
    guard let value = value(name), value.kind == .integer else { return nil }
    return Int(String(decoding: bytes[value.range], as: UTF8.self)).flatMap { least <= $0 && $0 <= most ? $0 : nil }
  }

  /// What two numbers of a server are together.
  package static func sum(_ one: Int, _ other: Int) -> Int { min(one + other, most) }

  /// A time in milliseconds.
  func time(_ name: StaticString, from least: Int = 1, to most: Int) -> Duration? {
    integer(name, from: least, to: most).map { .milliseconds($0) }
  }

  /// The bytes of a rank, as they came.
  var rank: Payload? {
    guard let value = value("rank"), value.kind == .integer || value.kind == .number else { return nil }
    guard value.count <= ServerLine.mostRank, let rank = payload("rank") else { return nil }
    return Double(rank.json)?.isFinite == true ? rank : nil
  }

  /// What a handler says as the code of a rejection: a text or a whole number, as it came.
  private var code: Payload? {
    text("code") != nil || integer("code", from: .min, to: .max) != nil ? payload("code") : nil
  }

  package func flag(_ name: StaticString) -> Bool { value(name)?.kind == .true }

  func isList(_ name: StaticString) -> Bool { value(name)?.kind == .array }

  /// Where a value stands in the line.
  package func range(of name: StaticString) -> Range<Int>? { value(name)?.range }

  /// The bytes of a value, as they came.
  package func payload(_ name: StaticString) -> Payload? {
    value(name).map { Payload(checked: Array(bytes[$0.range])) }
  }

  /// The bytes of the value at the end of a path of members, as they came; nil where a member is not there.
  package func payload(at path: [String]) -> Payload? {
    guard let name = path.first, let value = members.last(where: { text($0.name) == name })?.value else { return nil }
    let found = Payload(checked: Array(bytes[value.range]))
    return path.count == 1 ? found : ServerLine(found.bytes)?.payload(at: Array(path.dropFirst()))
  }

  /// The members of an object in it, in their order.
  package func members(of name: StaticString) -> [(name: String, value: Payload)] {
    guard let inner = payload(name), let object = ServerLine(inner.bytes) else { return [] }
    return object.members.compactMap { member in
      object.text(member.name).map { ($0, Payload(checked: Array(object.bytes[member.value.range]))) }
    }
  }

  /// The texts in a list.
  package func texts(_ name: StaticString) -> [String] {
    guard let value = value(name) else { return [] }
    return bytes.withUnsafeBytes { line in ArrayElements(of: value, in: line).compactMap(text) }
  }

  /// The objects in a list.
  package func objects(_ name: StaticString) -> [ServerLine] {
    guard let value = value(name) else { return [] }
    let ranges = bytes.withUnsafeBytes { line in
      ArrayElements(of: value, in: line).filter { $0.kind == .object }.map(\.range)
    }
    return ranges.map { ServerLine(valid: Array(bytes[$0])) }
  }
}

extension ServerLine {
  /// The error that an `error` line stands for.
  package var refusal: BatonError { .refused(code: text("code") ?? "", message: text("message") ?? "") }

  /// In what time a request may be taken that came too early; nil where it was refused for another reason.
  var retry: Duration? { text("code") == "busy" ? time("retry_ms", to: ServerLine.day) : nil }

  /// The result that a `result` line tells.
  var result: SendResult {
    get throws(BatonError) {
      guard let status = text("status").flatMap(SendResult.Status.init) else {
        throw .refused(code: "bad_result", message: "the server's result has no status that this client knows")
      }
      return SendResult(
        status: status, by: text("by"), payload: payload("payload"), message: text("message"), code: code,
        cause: text("cause"),
        results: objects("results").map { SendResult.Answer(by: $0.text("by") ?? "", payload: $0.payload("payload")) },
        failures: objects("failures").map {
          SendResult.Failure(
            by: $0.text("by") ?? "", chain: $0.text("chain") ?? "", cause: $0.text("cause") ?? "",
            message: $0.text("message"))
        }, hasMoreFailures: flag("more_failures"), hops: integer("hops") ?? 0, walk: integer("walk") ?? 0,
        delivered: integer("delivered"),
        wasRepeated: flag("again"), stored: text("stored"), try: integer("try"), isDead: flag("dead"),
        trace: isList("trace") ? payload("trace") : nil, line: whole)
    }
  }
}
