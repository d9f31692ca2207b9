#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Who else could answer at a server's place while the server is away: an answer of theirs would be a yes.
enum HookPlace {
  /// In words; nil: nobody.
  static func weakness(of server: String) -> String? {
    if server.hasPrefix("tls:") { return nil }
    guard server.hasPrefix("unix:/") else {
      return
        "while the server is away, another program may listen at \(server) and permit all; give the server a socket "
        + "unix:/PATH in a folder of its own, or a place tls:HOST:PORT"
    }
    var path = server.dropFirst("unix:".count)
    var isLast = true
    while let slash = path.lastIndex(of: "/") {
      path = path[..<slash]
      var facts = stat()
      let folder = path.isEmpty ? "/" : String(path)
      // In a folder such as /tmp, others cannot move away what is not theirs.
      if stat(folder, &facts) == 0, facts.st_mode & 0o002 != 0, isLast || facts.st_mode & mode_t(S_ISVTX) == 0 {
        return "while the server is away, other users may listen at \(server) and permit all, for they may write into "
          + "\(folder); put the socket into a folder of its own"
      }
      isLast = false
    }
    return nil
  }
}
