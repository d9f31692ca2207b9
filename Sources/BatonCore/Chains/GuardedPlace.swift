/// A place that exists before the first connection is accepted. It is empty and required, and its `on_failure` is
/// `"stop"`: no message passes it before its handler has come. No peer can change that (contract, section 5,
/// `--guard`).
public struct GuardedPlace: Equatable, Sendable {
  /// The chain of the place.
  public let chain: String
  /// The handler that the place waits for.
  public let handler: String

  /// Reads `CHAIN/HANDLER`. If `text` is not such a place, throws one sentence for a person.
  public init(_ text: String) throws(GuardedPlaceError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      throw GuardedPlaceError(description: "\"\(text)\" is not a place; write CHAIN/HANDLER")
    }
    for (what, name) in [("chain", parts[0]), ("handler", parts[1])] {
      let complaint = OwnedBytes(name).complaintAsName
      if let complaint { throw GuardedPlaceError(description: "the \(what) \"\(name)\" of \"\(text)\" \(complaint)") }
    }
    chain = parts[0]
    handler = parts[1]
  }
}

/// The reason why a text is not a place. The description is one line for a person.
public struct GuardedPlaceError: Error, Equatable, CustomStringConvertible {
  /// The fault, and how to mend it.
  public let description: String
}

extension OwnedBytes {
  /// The fault of these bytes as a name, or nil.
  fileprivate var complaintAsName: String? { Words.complaint(name: bytes) }
}
