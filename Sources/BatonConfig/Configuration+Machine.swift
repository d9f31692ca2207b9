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
    // The server's start opens its store and its sockets itself, and says more.
    if !isServers { checkPaths() }
    guard case .peers(let peers, _) = access else { return }
    for user in peers.lazy.flatMap(\.users) {
      guard case .named(let name) = user.value, SystemNames.userNumber(name) == nil else { continue }
      warn(user.origin, "this machine has no user \(quoted(name)), so this names nobody here")
    }
  }

  private mutating func checkPaths() {
    if let store = flags.store ?? file?.store { checkPath(store, isSocket: false) }
    for entry in listen {
      if case .unix(let path) = entry.value.place { checkPath(Sourced(path, from: entry.origin), isSocket: true) }
    }
  }

  private mutating func checkPath(_ path: Sourced<String>, isSocket: Bool) {
    if let facts = FileFacts(path.value) {
      if isSocket, !facts.isSocket { missing(path.origin, "\(path.value) is there already, and is no socket", false) }
      if !isSocket, !facts.isRegular { missing(path.origin, "\(path.value) is no file", false) }
      return
    }
    let folder = SystemNames.folder(of: path.value)
    if !(FileFacts(folder)?.isFolder ?? false) {
      missing(path.origin, "there is no folder \(folder) on this machine", false)
    }
  }

  private mutating func missing(_ origin: Origin, _ message: String, _ isServers: Bool) {
    if isServers { wrong(origin, message) } else { warn(origin, "\(message); a server does not start here") }
  }
}
