/// A message that a NATS server has delivered.
public struct NATSMessage: Equatable, Sendable {
  /// The subject to which it was published.
  public let subject: String
  /// Where an answer is wanted; nil: nowhere.
  public let reply: String?
  /// The status in its headers; 503: nobody is there who answers. Nil without one.
  public private(set) var status: Int?
  /// Its number in the stream from which it was read (`Nats-Sequence`); nil without one.
  public private(set) var sequence: UInt64?
  /// The bytes, at most `NATSReader.mostPayload`.
  public internal(set) var payload: [UInt8] = []

  init(subject: String, reply: String?) {
    self.subject = subject
    self.reply = reply
  }

  /// Takes out of the headers: the status, `NATS/1.0 503` in their first line; the number, which the server writes behind all
  /// headers of whoever has published.
  mutating func take(head: ArraySlice<UInt8>) {
    let lines = head.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A })
    guard let words = lines.first?.split(separator: 0x20), words.first?.elementsEqual("NATS/1.0".utf8) == true else {
      return
    }
    if words.count > 1 { status = Int(String(decoding: words[1], as: UTF8.self)) }
    let name = Array("Nats-Sequence: ".utf8)
    guard let line = lines.last(where: { $0.starts(with: name) }) else { return }
    sequence = UInt64(String(decoding: line.dropFirst(name.count), as: UTF8.self))
  }
}
