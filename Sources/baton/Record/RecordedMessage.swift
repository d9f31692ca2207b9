import BatonClient
import BatonRecord

/// A message of a record, as the commands tell it.
struct RecordedMessage {
  let line: RecordLine
  let contents: RecordLine?

  private struct Said: Decodable {
    let step: Int
    let message: String?
  }

  /// What handlers said, by step.
  private var said: [Said] {
    guard let json = contents?.json("said") else { return [] }
    return (try? Payload(json: String(decoding: json, as: UTF8.self)).decode([Said].self)) ?? []
  }

  /// What a person looks for in words: what handlers said, payload and meta.
  func has(_ word: String) -> Bool {
    let texts = said.compactMap(\.message) + ["key", "payload", "meta", "after"].compactMap { contents?.text($0) }
    return texts.contains { $0.contains(word) }
  }

  /// The same as `baton walks` shows it; nil if this program does not know its form.
  var walk: FinishedWalk? {
    var text = "{"
    for name in [
      "walk", "chain", "topic", "from", "status", "by", "cause", "hops", "version", "key_wait_us", "truncated",
    ] {
      if let value = line.json(name) { text += "\"\(name)\":\(String(decoding: value, as: UTF8.self))," }
    }
    if let value = line.json("us") { text += "\"total_us\":\(String(decoding: value, as: UTF8.self))," }
    if let value = contents?.json("key") { text += "\"key\":\(String(decoding: value, as: UTF8.self))," }
    if let last = said.last, let message = last.message, ["rejected", "failed"].contains(line.text("status") ?? "") {
      text += "\"message\":\(quoted(message)),"
    }
    text += "\"trace\":\(line.json("steps").map { String(decoding: $0, as: UTF8.self) } ?? "[]")}"
    return try? Payload(json: text).decode(FinishedWalk.self)
  }

  /// One object: the line, and what was kept beside it.
  var json: [UInt8] {
    guard let contents else { return line.line }
    return line.line.dropLast() + Array(",\"kept\":".utf8) + contents.line + [UInt8(ascii: "}")]
  }

  /// The lines that `baton walks` has not: where it stands in the record, who sent it, and what was said and sent.
  var facts: [String] {
    var facts = ["line \(line.n) of the record, \(line.at)"]
    if let identity = line.text("identity") { facts[0] += ", sent by \(identity)" }
    if let stored = line.text("stored") { facts[0] += ", stored \(stored), try \(line.number("try") ?? 0)" }
    for one in said { if let message = one.message { facts.append("step \(one.step) said: \(message)") } }
    for name in ["meta", "payload", "after", "meta_sha256", "payload_sha256", "after_sha256"] {
      if let value = contents?.text(name) { facts.append("\(name): \(value)") }
    }
    if contents == nil, line.json("contents") != nil { facts.append("its contents were erased") }
    return facts
  }

  private func quoted(_ text: String) -> String { StoreExport.quoted(Array(text.utf8)) }
}
