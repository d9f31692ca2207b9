/// What nodes say to each other of a copy: at `baton-NAME.node.LEADER`, and in the answer.
struct CopyQuestion: Codable {
  /// The node that asks.
  var node: String
  /// The copy of which a piece is wanted; nil: any, and no piece so far.
  var copy: String?
  /// Where the piece begins, in bytes.
  var from: Int?
  /// The number of the first message that the log has: from a copy that does not reach there, nobody could go on.
  var first: UInt64?
}

/// The first line of an answer; behind it are the bytes of the piece.
struct CopyAnswer: Codable {
  /// The copy; nil: there is none so far.
  var copy: String?
  /// Its bytes.
  var bytes: Int?
  /// Why none is made; nil: it is being made, or there.
  var why: String?

  /// The most bytes of a piece.
  static let mostBytes = 512 << 10

  /// The message: this line, and the piece.
  func message(_ piece: [UInt8] = []) -> [UInt8] { JSONText.write(self) + [0x0A] + piece }

  /// Reads a message; nil if it is none.
  static func read(_ message: [UInt8]) -> (answer: CopyAnswer, piece: ArraySlice<UInt8>)? {
    guard let end = message.prefix(1024).firstIndex(of: 0x0A),
      let answer = JSONText.read(CopyAnswer.self, Array(message[..<end])), (answer.why?.utf8.count ?? 0) <= 300
    else { return nil }
    return (answer, message[(end + 1)...])
  }
}
