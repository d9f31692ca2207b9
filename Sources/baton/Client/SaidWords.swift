import ArgumentParser
import BatonCore

/// Topics, patterns, names and keys as they stand on the command line. What is wrong with them is told before the server
/// is asked. The server's own limits, such as `max_topic_words`, are left to the server.
enum SaidWords {
  static func topic(_ text: String) throws -> String { try checked(text, complaint(topic: text)) }

  static func pattern(_ text: String) throws -> String { try checked(text, complaint(pattern: text)) }

  /// The name of a chain, a handler or a peer.
  static func name(_ text: String) throws -> String { try checked(text, complaint(name: text)) }

  static func key(_ text: String) throws -> String { try checked(text, complaint(key: text)) }

  static func whole(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw ValidationError("it is not a whole number") }
    return number
  }

  private static func checked(_ text: String, _ complaint: String?) throws -> String {
    if let complaint { throw ValidationError("it \(complaint)") }
    return text
  }
}
