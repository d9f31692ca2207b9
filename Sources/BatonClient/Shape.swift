/// What an error says, for people.
func words(of error: any Error) -> String { (error as? DecodingError)?.words ?? "\(error)" }

/// What `DecodingError` says, in words that name the member.
extension DecodingError {
  /// Where the value is of another shape, and what was expected there: `payload.door: expected a number`.
  var words: String {
    switch self {
    case .typeMismatch(let type, let context): "\(context.path): expected \(DecodingError.name(type))"
    case .valueNotFound(let type, let context):
      "\(context.path): expected \(DecodingError.name(type)), and there is none"
    case .keyNotFound(let key, let context): "\(context.path(key)): it is missing"
    case .dataCorrupted(let context): "\(context.path): \(context.debugDescription)"
    @unknown default: "\(self)"
    }
  }

  /// The same error, with a name before its path.
  func inside(_ name: String) -> DecodingError {
    func moved(_ context: Context) -> Context {
      Context(
        codingPath: [MemberName(stringValue: name)] + context.codingPath, debugDescription: context.debugDescription,
        underlyingError: context.underlyingError)
    }
    return switch self {
    case .typeMismatch(let type, let context): .typeMismatch(type, moved(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, moved(context))
    case .keyNotFound(let key, let context): .keyNotFound(key, moved(context))
    case .dataCorrupted(let context): .dataCorrupted(moved(context))
    @unknown default: self
    }
  }

  private static func name(_ type: Any.Type) -> String {
    switch type {
    case is String.Type, is Character.Type: "a string"
    case is Bool.Type: "true or false"
    case is any Numeric.Type: "a number"
    case is any KeyedShape.Type: "an object"
    case is any ListedShape.Type: "a list"
    default: "\(type)"
    }
  }
}

private protocol KeyedShape {}
private protocol ListedShape {}
extension Dictionary: KeyedShape {}
extension Array: ListedShape {}

private struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension DecodingError.Context {
  fileprivate var path: String { DecodingError.Context.spelled(codingPath) }

  fileprivate func path(_ key: any CodingKey) -> String { DecodingError.Context.spelled(codingPath + [key]) }

  private static func spelled(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}
