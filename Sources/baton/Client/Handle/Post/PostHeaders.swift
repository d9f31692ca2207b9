import BatonClient
import TLS

/// What the headers of a post tell of an offer: names, and values of printable ASCII.
struct PostHeaders {
  private(set) var all: [(name: String, value: String)] = []

  /// Longer meta fits into no service's headers.
  static let mostMeta = 64 << 10

  /// The headers of a message. `id` is that of Standard Webhooks, `timestamp` when it is posted.
  init(_ message: Message, id: String, timestamp: String) {
    all.append(("User-Agent", "Baton/\(BatonCommand.configuration.version)"))
    all.append(("Accept", "application/json, text/plain"))
    // Without a body there is nothing to have a type. The library would say that it is a form.
    if message.payload != nil { all.append(("Content-Type", "application/json")) }
    add("Op", message.isNotice ? "notice" : "offer")
    add("Topic", message.topic)
    add("Chain", message.chain)
    add("Handler", message.handler)
    add("Walk", "\(message.walk)")
    add("From", message.from)
    add("Timeout-Ms", message.timeout.map { "\(Int($0 / .milliseconds(1)))" })
    // What the service sends says it: `within`.
    add("Within", "\(message.within + 1)")
    add("Key", message.key)
    add("Meta", message.meta?.json)
    add("Again", message.isAgain ? "1" : nil)
    add("Shadow", message.isShadow ? "1" : nil)
    add("When", message.isDoubtful ? "unknown" : nil)
    add("Together", message.isTogether ? "1" : nil)
    add("For", message.isBroadcast ? "broadcast" : nil)
    add("Stored", message.stored)
    add("Try", message.try.map(String.init))
    add("Resent", message.resent)
    if let traceparent = message.traceparent { all.append(("traceparent", traceparent)) }
    all.append(("webhook-id", id))
    all.append(("webhook-timestamp", timestamp))
  }

  /// Adds what signs.
  mutating func sign(_ signature: String) { all.append(("webhook-signature", signature)) }

  private mutating func add(_ name: String, _ value: String?) {
    if let value { all.append(("Baton-\(name)", Self.encoded(value))) }
  }

  /// Text with all but printable ASCII percent-encoded, and so is the percent sign, and a space at either end.
  static func encoded(_ text: String) -> String {
    let (bytes, digits) = (Array(text.utf8), Array("0123456789ABCDEF".utf8))
    var encoded: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isAtEnd = index == 0 || index == bytes.count - 1
      if byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%") || byte == 0x20 && !isAtEnd {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// What an offer has in common with those that repeat it, and with no other: 128 bits that stand for the start of the
  /// server, the message, and the link; for a durable message, whose tries go on after another start, for its name and
  /// the link.
  static func id(of message: Message, start: String) -> String {
    let name = message.stored ?? "\(start)/\(message.walk)"
    let text = "\(name)/\(message.chain)/\(message.handler)"
    let bytes = MessageCode.digest(of: Array(text.utf8)).prefix(16)
    return "msg_" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
