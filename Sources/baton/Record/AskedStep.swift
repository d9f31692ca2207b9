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
  /// What the next link saw.
  let after: [UInt8]?
  /// Whether the server did not know if the message is for the link.
  let isDoubtful: Bool
  /// Whether it was asked in a stage, beside others.
  let isInStage: Bool

  /// Nil if the link was not asked. `failures`: that it failed a message is a verdict like others. `masked`: a payload is taken
  /// as it is there, with what stands in place of masked values.
  init?(
    _ line: RecordLine, _ contents: RecordLine?, chain: String, link: String, failures: Bool = false,
    masked: Bool = false
  ) {
    guard let steps = line.json("steps") else { return nil }
    let found = steps.withUnsafeBytes { AskedStep.step(in: $0, chain: chain, link: link) }
    guard let (number, step) = found, let outcome = step["outcome"] else { return nil }
    self.outcome = outcome
    (isDoubtful, isInStage) = (step["when"] == "unknown", step["together"] == "true")
    let verdicts = ["handled", "continue", "reject"] + (failures ? ["failed"] : [])
    payload =
      verdicts.contains(outcome)
      ? AskedStep.payload(line, contents, before: number, masked: masked) : .failure(Unknown(words: outcome))
    after = try? AskedStep.payload(line, contents, before: number + 1, masked: masked).get()
  }

  private static func payload(
    _ line: RecordLine, _ contents: RecordLine?, before step: Int, masked: Bool
  ) -> Result<[UInt8]?, Unknown> {
    guard let contents else {
      // Without contents nothing was sent, or they were erased.
      return line.json("contents") == nil ? .success(nil) : .failure(Unknown(words: "erased"))
    }
    if contents.json("left_out") != nil { return .failure(Unknown(words: "left_out")) }
    if !masked, contents.number("masked") ?? 0 > 0 { return .failure(Unknown(words: "masked")) }
    if contents.json("payload_sha256") ?? contents.json("meta_sha256") != nil {
      return .failure(Unknown(words: "digest"))
    }
    var payload = contents.text("payload").map { Array($0.utf8) }
    contents.json("rewritten")?.withUnsafeBytes { bytes in
      for one in JSONMembers.list(bytes) {
        guard let number = one["step"].flatMap({ Int($0) }), number < step, let text = one["payload"] else { continue }
        payload = Array(text.utf8)
      }
    }
    // Whoever wrote into the folder may have put anything there.
    if let payload, JSONText.value(payload) == nil { return .failure(Unknown(words: "no JSON")) }
    return .success(payload)
  }

  /// The last step of the link that has an outcome: an offer may have been repeated.
  private static func step(
    in steps: UnsafeRawBufferPointer, chain: String, link: String
  ) -> (number: Int, members: [String: String])? {
    var found: (number: Int, members: [String: String])?
    for (number, step) in JSONMembers.list(steps).enumerated()
    where step["handler"] == link && step["chain"] == chain && step["outcome"] != nil { found = (number, step) }
    return found
  }
}
