import ArgumentParser
import BatonClient
import BatonCore

/// Topics, patterns, names and keys as they stand on the command line. What is wrong with them is told before the server
/// is asked. The server's own limits, such as `max_topic_words`, are left to the server.
enum SaidWords {
  static func topic(_ text: String) throws -> String { try checked(text, complaint(topic: text)) }

  static func pattern(_ text: String) throws -> String { try checked(text, complaint(pattern: text)) }

  /// The name of a chain, a handler or a peer.
  static func name(_ text: String) throws -> String { try checked(text, complaint(name: text)) }

  static func key(_ text: String) throws -> String { try checked(text, complaint(key: text)) }

  static func json(_ text: String) throws -> Payload {
    guard let payload = try? Payload(json: text) else { throw ValidationError("it is not one JSON value") }
    return payload
  }

  /// A condition. What a server says of `identity` in it depends on the server.
  static func condition(_ text: String) throws -> Payload {
    let payload = try json(text)
    do throws(ConditionFault) {
      _ = try Condition.read(json: payload.bytes, identity: true)
      return payload
    } catch {
      throw ValidationError("it is no condition: \(error.words)")
    }
  }

  static func whole(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw ValidationError("it is not a whole number") }
    return number
  }

  /// Throws if the number of an option is none that the contract allows.
  static func check(
    _ number: Int?, _ option: String, isIn range: ClosedRange<Int64>, of unit: String = "a number"
  ) throws {
    guard let number, !range.contains(Int64(number)) else { return }
    throw ValidationError("\(option) must be \(unit) from \(range.lowerBound) to \(range.upperBound)")
  }

  private static func checked(_ text: String, _ complaint: String?) throws -> String {
    if let complaint { throw ValidationError("it \(complaint)") }
    return text
  }
}

extension String {
  /// The text of others as one word of a command that a person may copy: no shell sees more in it.
  var shellWord: String {
    let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }
    return isPlain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}
