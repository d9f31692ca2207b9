/// The keys that screens know.
enum Key: Sendable, Hashable {
  case character(Unicode.Scalar)
  case up, down, pageUp, pageDown, home, end
  case enter, backspace
  /// Ctrl-C, Ctrl-Z and Ctrl-L: a raw terminal does not turn them into signals.
  case interrupt, suspend, redraw
}

/// Turns the bytes that a terminal sends into keys, also if a sequence comes in pieces. Unknown sequences are ignored.
struct KeyReader {
  private var state = State.plain
  /// The parameters of a sequence that has begun.
  private var parameters: [UInt8] = []
  /// The bytes of a character that is not complete.
  private var character: [UInt8] = []

  private enum State {
    case plain, escaped, sequence, single
  }

  /// The keys that these bytes complete.
  mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] { bytes.compactMap { key(endedBy: $0) } }

  private mutating func key(endedBy byte: UInt8) -> Key? {
    switch state {
    case .plain: return plain(byte)
    case .escaped:
      switch byte {
      case UInt8(ascii: "["): state = .sequence
      case UInt8(ascii: "O"): state = .single
      default:
        state = .plain
        return plain(byte)
      }
    case .sequence:
      guard (0x40...0x7E).contains(byte) else {
        parameters.append(byte)
        return nil
      }
      return end(byte)
    case .single: return end(byte)
    }
    return nil
  }

  private mutating func plain(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x1B:
      state = .escaped
      return nil
    case 0x03: return .interrupt
    case 0x08, 0x7F: return .backspace
    case 0x0A, 0x0D: return .enter
    case 0x0C: return .redraw
    case 0x1A: return .suspend
    case 0x20..<0x7F:
      character = []
      return .character(Unicode.Scalar(byte))
    case 0x80...: return part(byte)
    default: return nil
    }
  }

  /// A byte of a character beyond ASCII.
  private mutating func part(_ byte: UInt8) -> Key? {
    if byte >= 0xC0 { character = [] }
    character.append(byte)
    if let text = String(validating: character, as: UTF8.self), let scalar = text.unicodeScalars.first {
      character = []
      return .character(scalar)
    }
    if character.count > 3 { character = [] }
    return nil
  }

  private mutating func end(_ byte: UInt8) -> Key? {
    defer {
      state = .plain
      parameters = []
    }
    switch (byte, String(decoding: parameters, as: UTF8.self)) {
    case (UInt8(ascii: "A"), _): return .up
    case (UInt8(ascii: "B"), _): return .down
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): return .home
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): return .end
    case (UInt8(ascii: "~"), "5"): return .pageUp
    case (UInt8(ascii: "~"), "6"): return .pageDown
    default: return nil
    }
  }
}
