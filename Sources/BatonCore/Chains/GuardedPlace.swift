/// A declared link at the front of an open chain, as `--guard` spells it: required, with `"on_failure":"stop"`. No message
/// passes it before its handler has come, and no peer can change that (contract, section 12).
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

extension [ChainDeclaration] {
  /// Declares a guarded place, behind those that its chain has already.
  public mutating func add(_ place: GuardedPlace) {
    var link = DeclaredLink(place.handler)
    link.isRequired = true
    link.onFailure = .stop
    guard let at = firstIndex(where: { $0.chain == place.chain }) else {
      return append(ChainDeclaration(chain: place.chain, links: [link], isOpen: true))
    }
    if !self[at].links.contains(where: { $0.name == place.handler }) { self[at].links.append(link) }
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
