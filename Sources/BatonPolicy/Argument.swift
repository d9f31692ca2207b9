internal import BatonCore

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// An argument of a call, as far as a rule looks at it.
enum Argument {
  case nothing
  case text([UInt8])
  /// The texts of a list, and whether it holds anything else.
  case list([[UInt8]], hasOthers: Bool)
  /// Of another kind, or in doubt: its name stands there twice, for instance.
  case other

  /// Whether a text, or one of the list, has one of these in it, byte for byte.
  func contains(_ texts: [String]) -> Answer {
    func has(_ text: [UInt8]) -> Bool { texts.contains { text.has(Array($0.utf8)) } }
    switch self {
    case .nothing: return .no
    case .other: return .unknown
    case .text(let text): return has(text) ? .fits : text.contains(0) ? .unknown : .no
    case .list(let all, let hasOthers):
      if all.contains(where: has) { return .fits }
      return hasOthers || all.contains { $0.contains(0) } ? .unknown : .no
    }
  }

  /// Whether it is a path in one of these folders, by its text. A tool that is told no path may have one of its own.
  func lies(inside folders: [String]) -> Answer {
    guard case .text(let path) = self, Path.isPlain(path) else { return .unknown }
    if folders.contains(where: { Path.lies(path, in: Array($0.utf8)) }) { return .fits }
    let names = Path.names(path)
    return folders.contains { names.starts(with: Path.names(Array($0.utf8))) } ? .unknown : .no
  }

  /// Whether it is one of these commands.
  func isCommand(_ patterns: [CommandPattern]) -> Answer {
    switch self {
    case .nothing: return .no
    case .text(let text):
      guard let words = CommandPattern.plainWords(text) else { return .unknown }
      return patterns.contains { $0.fits(words) } ? .fits : .no
    case .list, .other: return .unknown
    }
  }
}

/// Paths, by their text alone.
enum Path {
  /// Whether it begins with `/` and has no part that is empty, `.` or `..`, or that begins or ends with white space or a
  /// control character, which some tools leave out.
  static func isPlain(_ path: [UInt8]) -> Bool {
    guard path.first == slash, !path.contains(0) else { return false }
    if path.count == 1 { return true }
    return path.dropFirst().split(separator: slash, omittingEmptySubsequences: false).allSatisfy {
      guard let first = $0.first, let last = $0.last, first > 0x20, last > 0x20 else { return false }
      return !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
    }
  }

  /// Whether a plain path is a folder, or something in it.
  static func lies(_ path: [UInt8], in folder: [UInt8]) -> Bool {
    folder.count == 1 || path.starts(with: folder) && (path.count == folder.count || path[folder.count] == slash)
  }

  /// The names on the way, so that two are equal that some disk takes for one: in another case, composed or not, and with
  /// characters that it ignores.
  static func names(_ path: [UInt8]) -> [String] {
    path.split(separator: slash).map { name in
      let seen = String(decoding: name, as: UTF8.self).unicodeScalars
        .filter { !$0.properties.isDefaultIgnorableCodePoint }
      return String(String.UnicodeScalarView(seen)).uppercased().lowercased()
    }
  }

  private static let slash = UInt8(ascii: "/")
}

/// Finds arguments of a call by their names. A name that some program may take for another one is in doubt.
struct ArgumentFinder: Sendable {
  private let names: [String]
  private let condition: Condition
  /// How findings name each of them.
  private let places: [String]

  init(_ names: [String]) throws(ConditionFault) {
    let members = names.map { "\(quoted($0)):[{\"exists\":true}]" }.joined(separator: ",")
    let json = "{\"payload\":{\"arguments\":{\(members)}}}"
    self.names = names
    condition = try Condition.read(json: Array(json.utf8), identity: false)
    var evaluator = Evaluator()
    places = evaluator.explain(condition, SeenMessage()).findings.map(\.place)
  }

  /// Each of them, by its name.
  func find(in message: SeenMessage, by evaluator: inout Evaluator) -> [String: Argument] {
    let findings = evaluator.explain(condition, message).findings
    let isThere = findings.map(\.place) == places
    var found: [String: Argument] = [:]
    for (number, name) in names.enumerated() { found[name] = isThere ? Argument(findings[number].found) : .other }
    return found
  }
}

extension Argument {
  init(_ found: ConditionFinding.Found) {
    switch found {
    case .nothing: self = .nothing
    case .unclearName, .textOfJSON: self = .other
    case .value(let json): self = Array(json.utf8).withUnsafeBytes { Argument(json: $0) }
    }
  }

  private init(json: UnsafeRawBufferPointer) {
    guard case .success(let value) = LoneValue.readChecked(json, maximumDepth: 1000) else {
      self = .other
      return
    }
    func text(_ value: MemberValue) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: value.textCount(in: json)) { target, taken in
        taken = value.copyText(in: json, into: UnsafeMutableRawBufferPointer(target))
      }
    }
    switch value.kind {
    case .text, .escapedText: self = .text(text(value))
    case .array:
      let elements = ArrayElements(of: value, in: json).map { $0 }
      let texts = elements.filter { $0.kind.isText }.map(text)
      self = .list(texts, hasOthers: texts.count < elements.count)
    default: self = .other
    }
  }
}

extension [UInt8] {
  /// Whether these bytes, of which there is one at least, stand in it.
  fileprivate func has(_ part: [UInt8]) -> Bool {
    withUnsafeBytes { text in
      guard let base = text.baseAddress else { return false }
      var at = 0
      while at + part.count <= text.count,
        let found = memchr(base + at, Int32(part[0]), text.count - at - part.count + 1)
      {
        at = UnsafeRawPointer(found) - base
        if memcmp(base + at, part, part.count) == 0 { return true }
        at += 1
      }
      return false
    }
  }
}
