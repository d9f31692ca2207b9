/// Reads `http_hosts` and `allow_origins`.
extension FileReader {
  mutating func readHTTPHosts(_ node: Node) {
    file.httpHosts = names(of: node, "http_hosts", "the name of a host") { text throws(HTTPName.Complaint) in
      try HTTPName(host: text).text
    }
  }

  mutating func readAllowOrigins(_ node: Node) {
    file.allowOrigins = names(of: node, "allow_origins", "an origin") { text throws(HTTPName.Complaint) in
      try HTTPName(origin: text).text
    }
  }

  private mutating func names(
    of node: Node, _ list: String, _ what: String, _ check: (String) throws(HTTPName.Complaint) -> String
  ) -> [Sourced<String>]? {
    guard let nodes = elements(of: node, list) else { return nil }
    return values(of: nodes, list, what, check) { complaint, _ in complaint.message }
  }
}
