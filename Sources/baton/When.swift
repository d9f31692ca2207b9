import ArgumentParser
import BatonClient
import BatonCore

/// `baton when`: tries a condition. It needs no server.
struct When: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Try a condition on a message: whether a link with it would be asked.",
    discussion: """
      CONDITION is what a link has under when. MESSAGE has what conditions see: payload, meta, topic, key and identity, \
      as far as they are there. Both are JSON; - reads the message from standard input.

      It prints what it found for each member, and the answer. fits and unknown: the link is asked; with unknown it is \
      told "when":"unknown". no: the message passes the link. Docs/conditions.md says what fits.

      EXAMPLES:
        baton when '{"payload":{"amount":[{"numeric":[">",1000]}]}}' '{"payload":{"amount":2500}}'
        baton when '{"topic":[{"prefix":"tool."}]}' - < message.json

      The exit code is 0 if the message fits, 1 if not, 2 if it is unknown, and 64 if the condition or the message is wrong.
      """)

  @Argument(help: "The condition.")
  var condition: String

  @Argument(help: "The message, or - for standard input.")
  var message: String

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let condition = try readCondition()
    let parts = try await readMessage()
    var evaluator = Evaluator()
    let (answer, findings) = parts.seen { evaluator.explain(condition, $0) }
    if json {
      let found = findings.map { finding in
        "{\"member\":\(Payload(text: finding.place).json),\(finding.jsonMember)\"answer\":\"\(finding.answer)\"}"
      }
      try put(json: "{\"answer\":\"\(answer)\",\"found\":[\(found.joined(separator: ","))]}")
    } else {
      for finding in findings { try put("\(finding.place): \(finding.answer): \(finding.words)".displaySafe) }
      try put("\(answer)")
    }
    switch answer {
    case .fits: return
    case .no: throw ExitCode.failure
    case .unknown: throw ExitCode.unknown
    }
  }

  private func readCondition() throws -> Condition {
    let json = try line(condition, "the condition").dropLast()
    do throws(ConditionFault) {
      return try Condition.read(json: Array(json), identity: true)
    } catch {
      throw try wrong("when: \(error.words)")
    }
  }

  private func readMessage() async throws -> MessageParts {
    let said = message == "-" ? try await StandardInput.all() : Array(message.utf8)
    let line = try line(String(decoding: said, as: UTF8.self), "the message")
    return try line.withUnsafeBytes { bytes in
      do throws(MessageParts.Fault) {
        return try MessageParts(UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
      } catch {
        throw try wrong(error.words)
      }
    }
  }

  /// The value as one line, with its line feed.
  private func line(_ text: String, _ what: String) throws -> [UInt8] {
    if let value = JSONText.value(text.utf8) { return value + [UInt8(ascii: "\n")] }
    let why = JSONText.fault(Array(text.utf8)).map { "\($0.why) (at byte \($0.offset + 1))" } ?? "it is not one value"
    throw try wrong("\(what) is no JSON: \(why)")
  }

  /// Prints what is wrong. Usage would not help.
  private func wrong(_ words: String) throws -> ExitCode {
    if json {
      try put(json: "{\"errors\":[{\"message\":\(Payload(text: words).json)}]}")
    } else {
      talk("baton: \(words.displaySafe)")
    }
    return .validationFailure
  }
}

/// The parts of a message that conditions see.
private struct MessageParts {
  private var parts: [Condition.MessagePart: [UInt8]] = [:]

  struct Fault: Error { var words: String }

  /// Reads an object in a line.
  init(_ line: UnsafeRawBufferPointer) throws(Fault) {
    guard case .success(let value) = LoneValue.read(line, maximumDepth: 1000), value.kind == .object else {
      throw Fault(words: "the message must be an object, such as {\"payload\":{\"tool\":\"shell\"}}")
    }
    let names = Condition.MessagePart.allCases.map { "\($0)" }
    for (name, value) in ObjectMembers(of: value, in: line) {
      let said = String(decoding: name.rawText(in: line), as: UTF8.self)
      guard let part = Condition.MessagePart.allCases.first(where: { "\($0)" == said }) else {
        let hint = nearestName(to: said, among: names).map { "did you mean \"\($0)\"?" }
        throw Fault(
          words: "\"\(said)\" is no part of a message; \(hint ?? "there are \(names.joined(separator: ", "))")")
      }
      switch part {
      case .payload, .meta: break
      default: if !value.kind.isText { throw Fault(words: "\(said) must be a text") }
      }
      guard parts.updateValue(Array(value.bytes(in: line)), forKey: part) == nil else {
        throw Fault(words: "\(said) stands there twice")
      }
    }
  }

  func seen<Result>(_ body: (SeenMessage) -> Result) -> Result {
    let all = Condition.MessagePart.allCases
    var bytes: [UInt8] = []
    let ranges = all.map { part -> Range<Int> in
      let start = bytes.count
      bytes += parts[part] ?? []
      return start..<bytes.count
    }
    return bytes.withUnsafeBytes { bytes in
      let parts = ranges.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
      var seen = SeenMessage()
      (seen.payload, seen.meta, seen.topic, seen.key, seen.identity) = (
        parts[0], parts[1], parts[2], parts[3], parts[4]
      )
      return body(seen)
    }
  }
}

extension ConditionFinding {
  /// What was found, for a person.
  fileprivate var words: String {
    switch found {
    case .nothing: "nothing is there"
    case .value(let json): json.count > 60 ? "\(json.prefix(60))…" : json
    case .unclearName: "the name stands there twice, or in a spelling that some program takes for it"
    case .textOfJSON: "a text that a program may read as JSON once more"
    }
  }

  fileprivate var jsonMember: String {
    switch found {
    case .nothing: ""
    case .value(let json): "\"value\":\(json),"
    case .unclearName: "\"why\":\"name\","
    case .textOfJSON: "\"why\":\"text of JSON\","
    }
  }
}
