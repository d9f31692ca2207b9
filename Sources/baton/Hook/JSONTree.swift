/// One JSON value with the places of its parts in the text, read so that no other reader has another opinion of it.
struct JSONTree: Sendable {
  enum Value: Sendable {
    case null
    case flag(Bool)
    case number
    case text(String)
    case list([JSONTree])
    case object([Member])
  }

  struct Member: Sendable {
    let name: String
    let start: Int
    let value: JSONTree
  }

  /// Why a text is not read.
  struct Fault: Error {
    let words: String
    /// Whether it is JSON, which is refused nevertheless.
    let isJSON: Bool
  }

  let value: Value
  /// Where it stands in the text.
  let range: Range<Int>

  /// Reads a text that is one value. Throws where it is none; and what two readers may read in two ways: a member that
  /// stands twice, a half of a surrogate pair, a number that no double can hold, more than so many levels.
  init(_ bytes: [UInt8], most levels: Int = 64) throws(Fault) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Fault(words: "it is not UTF-8", isJSON: false)
    }
    var reader = JSONTreeReader(bytes: bytes, most: levels)
    self = try reader.whole()
  }

  init(_ value: Value, _ range: Range<Int>) { (self.value, self.range) = (value, range) }

  var text: String? { if case .text(let text) = value { text } else { nil } }
  var members: [Member]? { if case .object(let members) = value { members } else { nil } }
  var elements: [JSONTree]? { if case .list(let elements) = value { elements } else { nil } }
  var flag: Bool? { if case .flag(let flag) = value { flag } else { nil } }

  /// A member of an object.
  subscript(_ name: String) -> JSONTree? { members?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

  /// What stands at the end of this way of members.
  func at(_ way: some Sequence<String>) -> JSONTree? {
    var tree: JSONTree? = self
    for name in way { tree = tree?[name] }
    return tree
  }

  /// Whether both mean the same: members in any order, texts after their escapes, numbers by their digits.
  func means(_ other: JSONTree, in bytes: [UInt8], _ others: [UInt8]) -> Bool {
    switch (value, other.value) {
    case (.null, .null): true
    case (.flag(let left), .flag(let right)): left == right
    case (.number, .number): bytes[range] == others[other.range]
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.means($1, in: bytes, others) }
    case (.object(let left), .object(let right)):
      left.count == right.count
        && JSONTree.sorted(left).elementsEqual(JSONTree.sorted(right)) {
          $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.means($1.value, in: bytes, others)
        }
    default: false
    }
  }

  private static func sorted(_ members: [Member]) -> [Member] {
    members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
