/// Why the server refuses a line as JSON, and at which byte.
package struct ScanFault: Error, Equatable, Sendable {
  /// The three kinds of faults. The contract has a code for the first two (section 9); the third is `bad_json`, too.
  package enum Kind: Equatable, Sendable {
    case badJSON(Reason)
    case tooDeep
    case notAnObject
  }

  /// What is wrong with the JSON.
  package enum Reason: UInt8, CaseIterable, Sendable {
    case unfinished, behindObject, missingName, missingColon, missingValue, missingComma, trailingComma
    case controlCharacter, badEscape, badUnicodeEscape, loneSurrogate, badUTF8
    case badLiteral, badNumber, leadingZero
  }

  /// What is wrong.
  package var kind: Kind
  /// The offset in the line of the first wrong byte. If an escape, a character or a literal is wrong, it is the offset
  /// of its first byte.
  package var offset: Int

  /// A fault of this kind at a byte offset of the line.
  package init(kind: Kind, offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// What is wrong, in words for the person who wrote the line. It does not name the offset.
  package var text: StaticString {
    switch kind {
    case .tooDeep: "nested too deeply"
    case .notAnObject: "a line must be one JSON object and begin with {"
    case .badJSON(let reason): reason.text
    }
  }
}

extension ScanFault.Reason {
  /// What is wrong, in words for the person who wrote the line.
  package var text: StaticString {
    switch self {
    case .unfinished: "the line ends before its object is complete"
    case .behindObject: "there is something after the line's object"
    case .missingName: "expected a member's name in double quotes"
    case .missingColon: "expected : after the member's name"
    case .missingValue: "expected a value"
    case .missingComma: "expected a comma or a closing bracket of the right kind"
    case .trailingComma: "a comma must be followed by another entry"
    case .controlCharacter: "a control character in a string must be escaped"
    case .badEscape: "a backslash must be followed by one of \" \\ / b f n r t u"
    case .badUnicodeEscape: "\\u must be followed by four hexadecimal digits"
    case .loneSurrogate: "a \\u escape is half a surrogate pair without the other half"
    case .badUTF8: "invalid UTF-8"
    case .badLiteral: "expected true, false or null"
    case .badNumber: "a number needs a digit here"
    case .leadingZero: "a number must not have a leading 0"
    }
  }
}
