package import BatonCore
import Foundation

extension Transcript {
  /// A declared chain, as the head of a transcript or a reload writes it: `main open {"handler":"words"} {"mount":"side"}`.
  /// Each object is a link as the configuration file spells it.
  package struct Chain: Sendable, Equatable {
    package let name: String
    package private(set) var isOpen = false
    /// The links, each as it is written.
    package private(set) var links: [String] = []
    /// What the core is told.
    package private(set) var declaration: ChainDeclaration
    /// What is wrong with the text, in the words of a report; nil if nothing is.
    private(set) var fault: String?

    /// Reads a chain. Every text is one; `fault` says what is wrong with it.
    package init(_ text: String) {
      let words = Chain.words(of: text)
      name = words.first ?? ""
      declaration = ChainDeclaration(chain: name, links: [])
      if name.isEmpty || name.hasPrefix("{") { fault = "a chain has a name" }
      for (number, word) in words.enumerated().dropFirst() {
        if number == 1, word == "open" {
          isOpen = true
          declaration.isOpen = true
        } else if word.hasPrefix("{") {
          read(link: word)
        } else {
          fault = "\(word) is no link of a chain"
        }
      }
    }

    private mutating func read(link text: String) {
      links.append(text)
      do {
        declaration.links.append(try DeclaredLink(spelled: text))
      } catch {
        fault = "\(text) is no link of a chain: \(error)"
      }
    }

    /// The words of a text. An object is one word.
    private static func words(of text: String) -> [String] {
      var words: [String] = []
      var rest = text[...]
      while let first = rest.first {
        if first.isWhitespace {
          rest = rest.dropFirst()
        } else {
          let word = first == "{" ? rest.prefix(Nesting.end(of: rest)) : rest.prefix { !$0.isWhitespace }
          words.append(String(word))
          rest = rest.dropFirst(word.count)
        }
      }
      return words
    }
  }
}

/// How deep a text is in objects of JSON, character by character.
struct Nesting {
  private(set) var depth = 0
  private var isInString = false
  private var isEscaped = false

  mutating func step(_ character: Character) {
    if isInString {
      if !isEscaped, character == "\"" { isInString = false }
      isEscaped = !isEscaped && character == "\\"
    } else if character == "\"", depth > 0 {
      isInString = true
    } else if character == "{" {
      depth += 1
    } else if character == "}" {
      depth -= 1
    }
  }

  /// The number of characters of the object with which a text begins; all of them if it does not end.
  static func end(of text: Substring) -> Int {
    var nesting = Nesting()
    for (number, character) in text.enumerated() {
      nesting.step(character)
      if nesting.depth == 0 { return number + 1 }
    }
    return text.count
  }
}

extension DeclaredLink {
  /// A link as the configuration file spells it, in JSON. Throws what is wrong with it.
  fileprivate init(spelled text: String) throws {
    let bytes = Data(text.utf8)
    let known = Spelling.CodingKeys.allCases.map(\.rawValue) + ["when"]
    let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
    if let key = object?.keys.first(where: { !known.contains($0) }) { throw StageError("nothing is called \(key)") }
    let spelling = try JSONDecoder().decode(Spelling.self, from: bytes)
    guard (spelling.handler == nil) != (spelling.mount == nil), let name = spelling.handler ?? spelling.mount else {
      throw StageError("it has a handler or a mount")
    }
    self.init(name)
    isMount = spelling.mount != nil
    accepts = spelling.accepts ?? accepts
    timeoutMilliseconds = spelling.timeout
    window = spelling.window
    isShared = spelling.share ?? false
    holdMilliseconds = spelling.hold ?? 0
    isRequired = spelling.required ?? false
    isShadow = spelling.shadow ?? false
    percent = spelling.percent ?? 100
    isTogether = spelling.together ?? false
    when = try DeclaredLink.condition(in: text)
    onFailure = try spelling.onFailure?.policy ?? .goOn
  }

  /// The condition, as it is spelled there.
  private static func condition(in text: String) throws -> LinkCondition? {
    guard let key = text.range(of: "\"when\":") else { return nil }
    let rest = text[key.upperBound...]
    do throws(ConditionFault) {
      return LinkCondition(
        try Condition.read(json: Array(rest.prefix(Nesting.end(of: rest)).utf8), identity: true))
    } catch {
      throw StageError("when: \(error.words)")
    }
  }

  /// The keys of a link, and what kind of value each has.
  private struct Spelling: Decodable {
    var handler: String?
    var mount: String?
    var accepts: [String]?
    var timeout: Int?
    var window: Int?
    var onFailure: Policy?
    var share: Bool?
    var hold: Int?
    var required: Bool?
    var shadow: Bool?
    var percent: Int?
    var together: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case handler, mount, accepts, window, share, required, shadow, percent, together
      case timeout = "timeout_ms"
      case hold = "hold_ms"
      case onFailure = "on_failure"
    }
  }

  /// `on_failure`: one word, or one for each cause.
  private struct Policy: Decodable {
    private let words: [String: String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let word = try? container.decode(String.self) {
        words = Dictionary(uniqueKeysWithValues: Cause.allCases.map { ("\($0.spelling)", word) })
      } else {
        words = try container.decode([String: String].self)
      }
    }

    var policy: FailurePolicy {
      get throws {
        var policy = FailurePolicy.goOn
        for (name, word) in words {
          guard let cause = Cause.allCases.first(where: { "\($0.spelling)" == name }),
            ["stop", "continue"].contains(word)
          else { throw StageError("on_failure has no \(name): \(word)") }
          policy[cause] = word == "stop"
        }
        return policy
      }
    }
  }
}
