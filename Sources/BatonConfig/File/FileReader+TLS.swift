/// Reads `tls`.
extension FileReader {
  static let tlsKeys = ["certificate", "key", "clients", "require_clients"]

  mutating func readTLS(_ member: Node.Member) {
    for member in members(of: member.value, "tls", keys: FileReader.tlsKeys) {
      switch member.key {
      case "certificate": file.tls.certificate = path(member)
      case "key": file.tls.key = path(member)
      case "clients": file.tls.clients = path(member)
      default:
        let flag = flag(member.value, "require_clients") ?? false
        file.tls.requireClients = Sourced(flag, from: origin(member.value.place))
      }
    }
  }

  /// The path of a file, relative to the file that names it.
  mutating func path(_ member: Node.Member) -> Sourced<String> {
    let text = text(member.value, member.key) ?? ""
    if text.utf8.contains(0) { wrong(member.value.place, "\(member.key) is the path of a file") }
    return Sourced(resolved(text), from: origin(member.value.place))
  }
}
