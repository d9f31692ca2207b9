/// A message that a NATS server has delivered.
public struct NATSMessage: Equatable, Sendable {
  /// The subject to which it was published.
  public let subject: String
  /// Where an answer is wanted; nil: nowhere.
  public let reply: String?
  /// The status in its headers; 503: nobody is there who answers. Nil without one.
  public private(set) var status: Int?
  /// The bytes, at most `NATSReader.mostPayload`.
  public internal(set) var payload: [UInt8] = []

  init(subject: String, reply: String?) {
    self.subject = subject
    self.reply = reply
  }

  /// Takes the status out of the headers: `NATS/1.0 503` in their first line.
  mutating func take(head: ArraySlice<UInt8>) {
    guard let line = head.split(separator: 0x0D, maxSplits: 1).first else { return }
    let words = line.split(separator: 0x20)
    guard words.count > 1, words[0].elementsEqual("NATS/1.0".utf8) else { return }
    status = Int(String(decoding: words[1], as: UTF8.self))
  }
}
