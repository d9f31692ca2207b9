internal import BatonCore

/// One line from the server, or an object in one, parsed. Unknown members are ignored, so that the server can grow.
package struct ServerLine: Sendable {
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
      return (members, members.first { $0.0.isText("op", in: line) }.flatMap { ServerLine.text($0.1, in: line) } ?? "")
    }
    self.members = members
  }

  private func value(_ name: StaticString) -> MemberValue? {
    bytes.withUnsafeBytes { line in members.first { $0.name.isText(name, in: line) }?.value }
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

  package func integer(_ name: StaticString) -> Int? {
    guard let value = value(name) else { return nil }
    return Int(String(decoding: bytes[value.range], as: UTF8.self))
  }

  package func flag(_ name: StaticString) -> Bool { value(name)?.kind == .true }

  /// The bytes of a value, as they came.
  package func payload(_ name: StaticString) -> Payload? {
    value(name).map { Payload(checked: Array(bytes[$0.range])) }
  }

  /// The bytes of the value at the end of a path of members, as they came; nil where a member is not there.
  package func payload(at path: [String]) -> Payload? {
    guard let name = path.first, let value = members.first(where: { text($0.name) == name })?.value else { return nil }
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

  /// The result that a `result` line tells.
  var result: SendResult {
    get throws(BatonError) {
      guard let status = text("status").flatMap(SendResult.Status.init) else {
        throw .refused(code: "bad_result", message: "the server's result has no status that this client knows")
      }
      return SendResult(
        status: status, by: text("by"), payload: payload("payload"), message: text("message"), code: payload("code"),
        cause: text("cause"),
        results: objects("results").map { SendResult.Answer(by: $0.text("by") ?? "", payload: $0.payload("payload")) },
        failures: objects("failures").map {
          SendResult.Failure(
            by: $0.text("by") ?? "", chain: $0.text("chain") ?? "", cause: $0.text("cause") ?? "",
            message: $0.text("message"))
        }, hasMoreFailures: flag("more_failures"), hops: integer("hops") ?? 0, walk: integer("walk") ?? 0,
        delivered: integer("delivered"),
        wasRepeated: flag("again"), stored: text("stored"), try: integer("try"), isDead: flag("dead"),
        trace: payload("trace"), line: whole)
    }
  }
}
