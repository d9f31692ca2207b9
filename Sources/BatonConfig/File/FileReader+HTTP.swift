/// Reads `http_hosts` and `allow_origins`.
extension FileReader {
  mutating func readHTTPHosts(_ node: Node) {
    file.httpHosts = texts(of: node, "http_hosts", "the name of a host") { text throws(HTTPName.Complaint) in
      try HTTPName(host: text)
    }
  }

  mutating func readAllowOrigins(_ node: Node) {
    file.allowOrigins = texts(of: node, "allow_origins", "an origin") { text throws(HTTPName.Complaint) in
      try HTTPName(origin: text)
    }
  }

  /// The texts of a list, each once and as the check spells it.
  private mutating func texts(
    of node: Node, _ list: String, _ what: String, _ check: (String) throws(HTTPName.Complaint) -> HTTPName
  ) -> [Sourced<String>]? {
    guard let nodes = elements(of: node, list) else { return nil }
    var places: [String: FilePlace] = [:]
    var all: [Sourced<String>] = []
    for node in nodes {
      guard let text = text(node, what) else { continue }
      do throws(HTTPName.Complaint) {
        let value = try check(text).text
        if let first = places[value] {
          wrong(node.place, "\(quoted(value)) stands in \(list) already; line \(first.line) says so")
          continue
        }
        places[value] = node.place
        all.append(Sourced(value, from: origin(node.place)))
      } catch {
        wrong(node.place, error.message)
      }
    }
    return all
  }
}
