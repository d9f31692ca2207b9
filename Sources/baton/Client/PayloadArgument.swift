import ArgumentParser
import BatonClient

/// How a payload is said on the command line: as JSON, as any other text, which becomes a JSON string, as `@FILE`, or
/// as `-` for standard input.
enum PayloadArgument {
  static let help: ArgumentHelp = """
    JSON is sent as it is, anything else as a JSON string; @FILE is the content of a file, - that of standard input.
    """

  /// The value that the argument says; nil where there is none.
  static func value(_ argument: String?) async throws -> Payload? {
    guard let argument else { return nil }
    if argument == "-" { return try value(of: await StandardInput.all(), from: "standard input") }
    guard argument.hasPrefix("@") else { return value(ofText: argument) }
    let path = String(argument.dropFirst())
    return try value(of: contents(ofFile: path), from: path)
  }

  /// The value that a text says.
  static func value(ofText text: String) -> Payload { (try? Payload(json: text)) ?? Payload(text: text) }

  /// The value of a text that came in bytes: one that is no JSON loses the end of its last line.
  private static func value(of bytes: [UInt8], from place: String) throws -> Payload {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ValidationError("\(place) is no UTF-8 text, and JSON has no other; encode it, for instance with base64")
    }
    if let value = try? Payload(json: text) { return value }
    // A line feed behind a carriage return is one character with it.
    return Payload(text: text.last?.isNewline == true ? String(text.dropLast()) : text)
  }
}
