import BatonCore
import BatonRecord

/// What a link was asked about a message of a record, and what it said.
struct AskedStep {
  /// Why the question is not known as it was, or has no verdict.
  struct Unknown: Error {
    let words: String
  }

  let outcome: String
  /// The payload that it saw: as the links before it had made it. Nil if nothing was sent.
  let payload: Result<[UInt8]?, Unknown>
  /// Whether the server did not know if the message is for the link.
  let isDoubtful: Bool

  /// Nil if the link was not asked.
  init?(_ line: RecordLine, _ contents: RecordLine?, chain: String, link: String) {
    guard let steps = line.json("steps") else { return nil }
    let found = steps.withUnsafeBytes { AskedStep.step(in: $0, chain: chain, link: link) }
    guard let (number, outcome, isDoubtful) = found else { return nil }
    (self.outcome, self.isDoubtful) = (outcome, isDoubtful)
    payload =
      ["handled", "continue", "reject"].contains(outcome)
      ? AskedStep.payload(line, contents, before: number) : .failure(Unknown(words: outcome))
  }

  private static func payload(
    _ line: RecordLine, _ contents: RecordLine?, before step: Int
  ) -> Result<[UInt8]?, Unknown> {
    guard let contents else {
      // Without contents nothing was sent, or they were erased.
      return line.json("contents") == nil ? .success(nil) : .failure(Unknown(words: "erased"))
    }
    if contents.json("left_out") != nil { return .failure(Unknown(words: "left_out")) }
    if contents.number("masked") ?? 0 > 0 { return .failure(Unknown(words: "masked")) }
    if contents.json("payload_sha256") != nil { return .failure(Unknown(words: "digest")) }
    var payload = contents.text("payload").map { Array($0.utf8) }
    guard let rewritten = contents.json("rewritten") else { return .success(payload) }
    rewritten.withUnsafeBytes { bytes in
      for one in objects(in: bytes) {
        guard let number = one["step"].flatMap({ Int($0) }), number < step, let text = one["payload"] else { continue }
        payload = Array(text.utf8)
      }
    }
    return .success(payload)
  }

  private static func step(
    in steps: UnsafeRawBufferPointer, chain: String, link: String
  ) -> (number: Int, outcome: String, isDoubtful: Bool)? {
    for (number, step) in objects(in: steps).enumerated() {
      guard step["handler"] == link, step["chain"] == chain, let outcome = step["outcome"] else { continue }
      return (number, outcome, step["when"] == "unknown")
    }
    return nil
  }

  /// The objects of a list: texts by their names, and other values as they are written.
  private static func objects(in json: UnsafeRawBufferPointer) -> [[String: String]] {
    guard case .success(let list) = LoneValue.readChecked(json, maximumDepth: 1000), list.kind == .array else {
      return []
    }
    return ArrayElements(of: list, in: json).map { element in
      var members: [String: String] = [:]
      guard element.kind == .object else { return members }
      for (name, value) in ObjectMembers(of: element, in: json) {
        members[text(name, json)] = value.kind.isText ? text(value, json) : value.bytes(in: json).text
      }
      return members
    }
  }

  private static func text(_ value: MemberValue, _ json: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: value.textCount(in: json)) {
      value.copyText(in: json, into: UnsafeMutableRawBufferPointer($0))
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
