internal import Logging

/// How an event of the log becomes a line. What a peer sends cannot pass for a line of the log in either format.
public enum LogFormat: String, CaseIterable, Sendable {
  /// Time, level, message, then `key=value` in the keys' order; for people.
  case text
  /// One JSON object: `time`, `level`, `message`, and the metadata as members, in the keys' order; for programs.
  case json

  /// The line of an event that happens now, with its LF.
  func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) -> String {
    let known = metadata.sorted { $0.key < $1.key }
    switch self {
    case .text:
      return known.reduce(into: "\(LineLog.time()) \(level) \(message)") { line, entry in
        line += " \(entry.key)=\(LineLog.quoted("\(entry.value)"))"
      } + "\n"
    case .json:
      let start = "{\"time\":\"\(LineLog.time())\",\"level\":\"\(level)\",\"message\":\(LogFormat.json(message))"
      return known.reduce(into: start) { line, entry in
        line += ",\(LogFormat.json(entry.key)):\(LogFormat.json(entry.value))"
      } + "}\n"
    }
  }

  /// The value as JSON. Only whole numbers are numbers; everything else that is no list is text.
  private static func json(_ value: Logger.Metadata.Value) -> String {
    switch value {
    case .string(let text): json(text)
    case .stringConvertible(let number as Int): "\(number)"
    case .stringConvertible(let other): json("\(other)")
    case .array(let values): "[\(values.map { json($0) }.joined(separator: ","))]"
    case .dictionary(let members):
      "{\(members.sorted { $0.key < $1.key }.map { "\(json($0.key)):\(json($0.value))" }.joined(separator: ","))}"
    }
  }

  /// The text as a JSON string. What a terminal would obey is escaped, too.
  static func json(_ text: String) -> String {
    LineLog.quoted(text) { scalar in
      String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
  }
}
