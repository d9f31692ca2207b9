import ArgumentParser
import BatonClient
import BatonLasting
import BatonStore

import struct BatonCore.Router

/// `baton store export`: all that a store has, as lines of JSON.
struct StoreExport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print the messages, values and events of a store, as lines of JSON.",
    discussion: """
      The type of a line is message, dead, value or event. Messages and dead letters come in the order of their acceptance, \
      values in that of their topics, events by their seq. What is damaged is left out, said on standard error, and makes \
      the exit code 1. What is remembered of messages that have ended (once, and their results) is not printed.

      A server may use the store meanwhile, and is not held up, however slowly you read. So this is no copy of one moment: \
      what is there all the time is told once, and what comes or goes may be told or not. baton store backup makes a copy \
      of one moment, from which you can export.

      EXAMPLES:
        baton store export --store /var/lib/baton/store > store.jsonl
        baton store export --store /var/lib/baton/store | jq -c 'select(.type == "dead") | .payload'
      """)

  @OptionGroup var file: StoreFileOptions

  func run() throws {
    let counts = try file.open().export { item in
      switch item {
      case .message(let message, let content, let result, let isDead):
        try put(Self.line(message, content, result: result, isDead: isDead))
      case .value(let kept): try put(Self.line(kept, type: "value"))
      case .event(let kept): try put(Self.line(kept, type: "event"))
      case .damaged(let what): talk("baton: \(what)".displaySafe)
      }
    }
    if counts.damaged > 0 { throw ExitCode.failure }
  }

  private static func line(
    _ message: BatonLasting.StoredMessage, _ content: DurableContent, result: [UInt8]?, isDead: Bool
  ) -> [UInt8] {
    var line = JSONLine(type: isDead ? "dead" : "message")
    line.add("stored", text: message.id.text)
    // Topic, mode and meta are the members of an object already.
    line.add(members: content.head)
    line.add("chain", text: message.chain)
    if let key = content.key { line.add("key", text: key) }
    if !content.payload.isEmpty { line.add("payload", json: content.payload) }
    line.add("from", json: sender(content.from))
    if !message.identity.isEmpty { line.add("identity", text: message.identity) }
    line.add("accepted_ms", number: message.acceptedAt)
    line.add("tries", number: Int64(message.state.tries))
    if message.state.nextAt > 0 { line.add("next_try_ms", number: message.state.nextAt) }
    if let resent = message.resent { line.add("resent", text: resent.text) }
    if let result { line.add("result", json: Router.wholeResult(result)) }
    return line.end()
  }

  private static func line(_ kept: Publication, type: String) -> [UInt8] {
    var line = JSONLine(type: type)
    line.add("topic", text: kept.topic)
    if !kept.payload.isEmpty { line.add("payload", json: kept.payload) }
    if !kept.meta.isEmpty { line.add("meta", json: kept.meta) }
    line.add("from", json: sender(kept.from))
    if kept.seq > 0 { line.add("seq", number: Int64(clamping: kept.seq)) }
    line.add("published_ms", number: kept.at)
    return line.end()
  }

  /// Who sent it, as a JSON string: what else the server has written behind that string is its own.
  private static func sender(_ bytes: [UInt8]) -> [UInt8] {
    var isEscaped = false
    for (place, byte) in bytes.enumerated().dropFirst() {
      if byte == UInt8(ascii: "\""), !isEscaped { return Array(bytes[...place]) }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return Array("null".utf8)
  }

  /// A JSON string.
  static func quoted(_ text: [UInt8]) -> String { Payload(text: String(decoding: text, as: UTF8.self)).json }
}

/// An object of JSON, member by member.
private struct JSONLine {
  private var bytes: [UInt8]

  init(type: String) { bytes = Array("{\"type\":\"\(type)\"".utf8) }

  mutating func add(_ name: String, json: [UInt8]) {
    bytes += ",\"\(name)\":".utf8
    bytes += json
  }

  mutating func add(_ name: String, text: [UInt8]) { add(name, json: Array(StoreExport.quoted(text).utf8)) }

  mutating func add(_ name: String, number: Int64) { add(name, json: Array("\(number)".utf8)) }

  /// The members of an object.
  mutating func add(members object: [UInt8]) {
    guard object.count > 2 else { return }
    bytes.append(UInt8(ascii: ","))
    bytes += object.dropFirst().dropLast()
  }

  func end() -> [UInt8] { bytes + [UInt8(ascii: "}")] }
}
