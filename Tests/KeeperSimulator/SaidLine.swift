/// A line of the server, by the peers' own reader: its members by name. What is no object of JSON has none.
struct SaidLine {
  let bytes: [UInt8]
  private var members: [String: Range<Int>] = [:]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var at = 1
    while at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
      let name = at..<end(from: at)
      let value = (name.upperBound + 1)..<end(from: name.upperBound + 1)
      members[String(decoding: bytes[(name.lowerBound + 1)..<(name.upperBound - 1)], as: UTF8.self)] = value
      at = value.upperBound + 1
    }
  }

  /// The end of a name or of a value.
  private func end(from start: Int) -> Int {
    var (at, depth, isText) = (start, 0, false)
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\\") where isText: at += 1
      case UInt8(ascii: "\""):
        isText.toggle()
        if !isText, depth == 0 { return at + 1 }
      case _ where isText: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return at }
        depth -= 1
        if depth == 0 { return at + 1 }
      case UInt8(ascii: ","), UInt8(ascii: ":"): if depth == 0 { return at }
      default: break
      }
      at += 1
    }
    return at
  }

  func has(_ name: String) -> Bool { members[name] != nil }

  func raw(_ name: String) -> [UInt8]? { members[name].map { Array(bytes[$0]) } }

  func number(_ name: String) -> Int? {
    members[name].flatMap { Int(String(decoding: bytes[$0], as: UTF8.self)) }
  }

  func text(_ name: String) -> String? {
    guard let range = members[name], bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
    return String(decoding: bytes[range].dropFirst().dropLast(), as: UTF8.self)
  }

  func isTrue(_ name: String) -> Bool { raw(name) == Array("true".utf8) }

  /// The message that its payload stands for: a number, or the first word of a text.
  var mark: Int? { number("payload") ?? text("payload").flatMap { Int($0.prefix { $0 != " " }) } }

  /// The same line with another value.
  func with(_ name: String, _ value: String) -> SaidLine {
    guard let range = members[name] else { return self }
    return SaidLine(Array(bytes[..<range.lowerBound]) + Array(value.utf8) + bytes[range.upperBound...])
  }

  /// The objects of an array.
  func objects(_ name: String) -> [SaidLine] {
    guard let range = members[name] else { return [] }
    var objects: [SaidLine] = []
    var at = range.lowerBound + 1
    while at < range.upperBound - 1 {
      let next = end(from: at)
      objects.append(SaidLine(Array(bytes[at..<next])))
      at = next + 1
    }
    return objects
  }

  var spelled: String { String(decoding: bytes, as: UTF8.self) }
}
