/// Reads lists in which each value stands once.
extension FileReader {
  /// The values of a list, each once. What is wrong is said at its place; `check` says why in words.
  ///
  /// - Parameters:
  ///   - list: the member, as in `proxies`.
  ///   - what: one of its elements, for people: `the address of a proxy`.
  mutating func values<Value: Hashable, Complaint: Error>(
    of nodes: [Node], _ list: String, _ what: String, _ check: (String) throws(Complaint) -> Value,
    _ words: (Complaint, _ text: String) -> String
  ) -> [Sourced<Value>] {
    var places: [Value: FilePlace] = [:]
    var all: [Sourced<Value>] = []
    for node in nodes {
      guard let text = text(node, what) else { continue }
      do throws(Complaint) {
        let value = try check(text)
        if let first = places[value] {
          wrong(node.place, "\(quoted(text)) stands in \(list) already; line \(first.line) says so")
          continue
        }
        places[value] = node.place
        all.append(Sourced(value, from: origin(node.place)))
      } catch {
        wrong(node.place, words(error, text))
      }
    }
    return all
  }
}
