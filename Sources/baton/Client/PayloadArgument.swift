import ArgumentParser
import BatonClient
import BatonCore

/// How a payload is given on the command line: as JSON, as any other text, which becomes a JSON string, as `@FILE`, or
/// as `-` for standard input.
enum PayloadArgument {
  /// What a text is taken for.
  enum Kind {
    /// JSON where it is JSON, and else text. What only looks like JSON is a mistake: a person has meant JSON.
    case either(Name)
    /// Always text.
    case text
  }

  /// What it is, for people.
  enum Name: String {
    case payload = "the payload"
    case meta = "--meta"
    case reply = "--reply"
    case newPayload = "--payload"
    /// One of many lines; whoever tells of it knows its number.
    case line = "it"
    case output = "the output"
    case answer = "the answer"

    /// How to send as text what looks like JSON.
    fileprivate var wayOut: String {
      switch self {
      case .payload, .line: "mend it, or send it as text with --text"
      case .output: "mend it, or take all output as text, with --text"
      case .answer: "mend it, or say its type, text/plain"
      case .meta, .reply, .newPayload: "mend it, or write it as a JSON string"
      }
    }
  }

  /// The value of the argument; nil if there is none.
  static func value(_ argument: String?, as kind: Kind) async throws -> Payload? {
    guard let argument else { return nil }
    if argument == "-" { return try value(of: await StandardInput.all(), from: "standard input", as: kind) }
    guard argument.hasPrefix("@") else { return try value(ofText: argument, as: kind) }
    let path = String(argument.dropFirst())
    if path.isEmpty {
      throw ValidationError("@ has no name of a file behind it; write @FILE, or @- for a file named -")
    }
    return try value(of: contents(ofFile: path), from: path, as: kind)
  }

  /// The value of a text, from a place that is told with a mistake in it. Throws a `ValidationError`.
  static func value(ofText text: String, from place: String? = nil, as kind: Kind) throws -> Payload {
    guard case .either(let name) = kind else { return Payload(text: text) }
    if let value = try? Payload(json: text) { return value }
    // Some editors write a byte order mark, which nobody sees.
    let first = text.unicodeScalars.first { !" \t\r\n\u{FEFF}".unicodeScalars.contains($0) }
    guard let first, "{[\"".unicodeScalars.contains(first), let fault = JSONText.fault(text.utf8) else {
      return Payload(text: text)
    }
    let spot = TextPlace(of: fault.offset, in: text)
    let words = name == .line ? "column \(spot.column)" : "line \(spot.line), column \(spot.column)"
    let hasMark = text.unicodeScalars.first == "\u{FEFF}"
    let why = hasMark ? "a byte order mark (U+FEFF) stands before the value" : fault.why
    throw ValidationError("\(place ?? name.rawValue) begins like JSON and is not: \(words): \(why); \(name.wayOut)")
  }

  /// The value of a text in bytes. A text that is not JSON loses the line feed at its end.
  static func value(of bytes: [UInt8], from place: String, as kind: Kind) throws -> Payload {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ValidationError("\(place) is not UTF-8 text, and JSON allows no other; encode it, for instance with base64")
    }
    if case .either = kind {
      let value = try value(ofText: text, from: place, as: kind)
      if value != Payload(text: text) { return value }
    }
    // A line feed behind a carriage return is one character with it.
    return Payload(text: text.last?.isNewline == true ? String(text.dropLast()) : text)
  }
}

/// A place in a text as editors show it, with lines and columns from 1.
struct TextPlace {
  let line, column: Int

  init(of offset: Int, in text: String) {
    let before = text.utf8.prefix(offset)
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { text.utf8.index(after: $0) } ?? text.startIndex
    // The bytes that begin a character.
    column = 1 + text.utf8[start..<before.endIndex].count { $0 & 0xC0 != 0x80 }
  }
}
