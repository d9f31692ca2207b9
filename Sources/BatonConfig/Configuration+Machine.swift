extension Configuration.Assembly {
  /// Looks whether this machine has what the file names. Where a file is only checked, that may be another machine than
  /// the server's: then what is missing is a warning.
  mutating func checkMachine(isServers: Bool) {
    for entry in listen {
      guard case .name(let name) = entry.value.group, SystemNames.groupNumber(name) == nil else { continue }
      missing(entry.origin, "this machine has no group \(quoted(name)); make it, or leave group out", isServers)
    }
    for path in tls.paths where FileFacts(path.value) == nil {
      missing(path.origin, "there is no file \(path.value) on this machine", isServers)
    }
    checkClustersFiles(isServers: isServers)
    // The start opens the record itself; a folder that another user has is right for another server.
    checkRecordPlace { $0.missing($1, $2, isServers) }
    // The server's start opens its places itself, and says more.
    if !isServers {
      checkSockets()
      checkPorts()
    }
    guard case .peers(let peers, _) = access else { return }
    for user in peers.lazy.flatMap(\.users) {
      guard case .named(let name) = user.value, SystemNames.userNumber(name) == nil else { continue }
      warn(user.origin, "this machine has no user \(quoted(name)), so this names nobody here")
    }
  }

  private mutating func checkSockets() {
    for entry in listen.prefix(Self.mostPlaces) {
      guard case .unix(let path) = entry.value.place else { continue }
      let folder = FileFacts.folder(of: path)
      // A server does not follow a link to a socket.
      if let facts = FileFacts(path, followingLinks: false) {
        if !facts.isSocket { missing(entry.origin, "\(path) is there already, and is no socket", false) }
      } else if !(FileFacts(folder)?.isFolder ?? false) {
        missing(entry.origin, "there is no folder \(folder) on this machine", false)
      }
    }
  }

  /// A port that one place has at all addresses of a kind.
  private mutating func checkPorts() {
    let all = (listen + http.value).prefix(Self.mostPlaces)
    for (number, entry) in all.enumerated() {
      let place = entry.value.place
      guard let port = place.port, port != 0, let host = place.host else { continue }
      let other = all[..<number].first {
        $0.value.place.port == port && $0.value.place.host.map { ListenEntry.overlap($0, host) } ?? false
      }
      guard let other else { continue }
      missing(entry.origin, "\(other.value.place) (\(other.origin)) has the port of \(place)", false)
    }
  }

  private mutating func missing(_ origin: Origin, _ message: String, _ isServers: Bool) {
    if isServers { wrong(origin, message) } else { warn(origin, "\(message); a server does not start here") }
  }
}
