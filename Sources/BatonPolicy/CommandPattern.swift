/// A command of plain words, as `words` of a rule has it.
struct CommandPattern: Equatable, Sendable {
  /// One word.
  enum Word: Equatable, Sendable {
    /// One that does not begin with `-`.
    case noOption
    case any
    case text(String)
  }

  /// What may follow.
  enum Rest: Equatable, Sendable {
    case nothing
    /// Any words that do not begin with `-`.
    case noOptions
    case anything
  }

  var words: [Word] = []
  var rest = Rest.nothing

  /// The argument in which agents write a command.
  static let argument = "command"

  func fits(_ command: [ArraySlice<UInt8>]) -> Bool {
    guard command.count >= words.count, rest != .nothing || command.count == words.count else { return false }
    let isOption: (ArraySlice<UInt8>) -> Bool = { $0.first == UInt8(ascii: "-") }
    let isSame = zip(words, command).allSatisfy { word, given in
      switch word {
      case .noOption: !isOption(given)
      case .any: true
      case .text(let text): given.elementsEqual(text.utf8)
      }
    }
    return isSame && (rest != .noOptions || !command.dropFirst(words.count).contains(where: isOption))
  }

  /// The words of a command of which any shell makes just these words; nil if it may make others of it.
  static func plainWords(_ command: [UInt8]) -> [ArraySlice<UInt8>]? {
    guard let first = command.first, first != space, command.last != space else { return nil }
    let words = command.split(separator: space)
    let isPlain = words.allSatisfy(isPlain) && !words[0].contains(UInt8(ascii: "="))
    return isPlain ? words : nil
  }

  /// Whether shells take the word as it is. (A word that begins with `=` is a path of a program for zsh.)
  static func isPlain(_ word: ArraySlice<UInt8>) -> Bool {
    word.first != UInt8(ascii: "=")
      && word.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: others.contains(byte)
        }
      }
  }

  private static let others = Array("_./:,+@=-".utf8)
  private static let space = UInt8(ascii: " ")
}
