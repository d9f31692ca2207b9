import BatonClient
import BatonCore

/// What an editor has left.
struct EditedText: Sendable {
  let text: String

  /// Why it cannot be sent.
  struct Fault: Error, Equatable {
    let words: String
  }

  /// The payload that it spells; nil if that is the old one.
  func payload(inPlaceOf old: Payload?) -> Result<Payload?, Fault> {
    if text.allSatisfy(\.isWhitespace), old == nil { return .success(nil) }
    guard let new = try? Payload(json: text) else {
      guard let fault = JSONText.fault(text.utf8) else {
        return .failure(Fault(words: "this is no JSON; e goes back to it"))
      }
      let place = TextPlace(of: fault.offset, in: text)
      return .failure(
        Fault(words: "this is no JSON: line \(place.line), column \(place.column): \(fault.why); e goes back to it"))
    }
    let compact = JSONLines.compact(new)
    return .success(compact == old.map { JSONLines.compact($0) } ? nil : compact)
  }
}
