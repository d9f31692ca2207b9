import ArgumentParser
import BatonClient
import BatonCore

/// What `--format` says: text with names in braces, such as `{time} {topic} {payload.user}`.
struct LineFormat: Sendable {
  private enum Part: Sendable {
    case text(String)
    case time
    /// A member, and the members within it.
    case member([String])
  }

  private let parts: [Part]

  /// Reads it. Throws a `ValidationError` for a name that is none of `members`, which lines have beside `time`.
  init(_ text: String, members: [String]) throws {
    var parts: [Part] = []
    var plain = ""
    var rest = Substring(text)
    while let sign = rest.popFirst() {
      switch sign {
      case "\\":
        let next = rest.popFirst()
        plain += next == "t" ? "\t" : next == "n" ? "\n" : next.map { $0 == "\\" ? "\\" : "\\\($0)" } ?? "\\"
      case "{" where rest.first == "{", "}" where rest.first == "}":
        plain.append(sign)
        rest.removeFirst()
      case "{":
        guard let end = rest.firstIndex(of: "}") else {
          throw ValidationError("a { has no }; write {{ for a brace, and names such as {topic} or {payload.user}")
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        plain = ""
        parts.append(try LineFormat.part(String(rest[..<end]), members))
        rest = rest[end...].dropFirst()
      default: plain.append(sign)
      }
    }
    self.parts = plain.isEmpty ? parts : parts + [.text(plain)]
  }

  private static func part(_ name: String, _ members: [String]) throws -> Part {
    if name == "time" { return .time }
    let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if members.contains(path[0]), !path.contains("") { return .member(path) }
    let all = ["time"] + members
    let hint = nearestName(to: path[0], among: all).map { "did you mean {\($0)}?" }
    throw ValidationError(
      "there is no {\(name)}; \(hint ?? "there are " + all.map { "{\($0)}" }.joined(separator: " "))")
  }

  /// The line for an object of JSON. What it does not have is empty. A string is its text; another value is JSON.
  func line(_ object: Payload, isForPeople: Bool) -> String {
    let read = ServerLine(object.bytes)
    return parts.map { part in
      switch part {
      case .text(let text): return text
      case .time: return isForPeople ? WallClock.now.local : WallClock.now.utc
      case .member(let path):
        guard let value = read?.payload(at: path) else { return "" }
        let text = (try? value.decode(String.self)) ?? value.json
        return isForPeople ? text.displaySafe : text.onOneLine
      }
    }.joined()
  }
}

extension String {
  /// The text with its control characters spelled out, because each line is one event.
  fileprivate var onOneLine: String {
    if !utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return self }
    return unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F
        ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
    }.joined()
  }
}
