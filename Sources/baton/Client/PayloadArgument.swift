import ArgumentParser
import BatonClient

/// How a payload is given on the command line: as JSON, as any other text, which becomes a JSON string, as `@FILE`, or
/// as `-` for standard input.
enum PayloadArgument {
  static let help: ArgumentHelp = """
    JSON is sent as it is, any other text as a JSON string. @FILE is the content of a file, - is standard input.
    """

  /// The value of the argument; nil if there is none.
  static func value(_ argument: String?) async throws -> Payload? {
    guard let argument else { return nil }
    if argument == "-" { return try value(of: await StandardInput.all(), from: "standard input") }
    guard argument.hasPrefix("@") else { return value(ofText: argument) }
    let path = String(argument.dropFirst())
    return try value(of: contents(ofFile: path), from: path)
  }

  /// The value of a text.
  static func value(ofText text: String) -> Payload { (try? Payload(json: text)) ?? Payload(text: text) }

  /// The value of a text in bytes. A text that is not JSON loses the line feed at its end.
  private static func value(of bytes: [UInt8], from place: String) throws -> Payload {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ValidationError("\(place) is not UTF-8 text, and JSON allows no other; encode it, for instance with base64")
    }
    if let value = try? Payload(json: text) { return value }
    // A line feed behind a carriage return is one character with it.
    return Payload(text: text.last?.isNewline == true ? String(text.dropLast()) : text)
  }
}
