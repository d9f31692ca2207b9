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

  /// The line for an object of JSON. What it does not have is empty. A string is its text; another value is JSON. What is
  /// not seen is spelled out: each line is one event, and may come to a terminal through a pipe.
  func line(_ object: Payload, isForPeople: Bool) -> String {
    let read = ServerLine(object.bytes)
    return parts.map { part in
      switch part {
      case .text(let text): return text
      case .time: return isForPeople ? WallClock.now.local : WallClock.now.utc
      case .member(let path):
        guard let value = read?.payload(at: path) else { return "" }
        return (try? value.decode(String.self))?.displaySafe ?? value.seen
      }
    }.joined()
  }
}
