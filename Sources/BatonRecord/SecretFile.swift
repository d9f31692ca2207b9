#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A file that holds a secret: its user alone may read it. One that another user has put there, as Kubernetes and systemd do it,
/// may be for a group, too.
package enum SecretFile {
  /// What is wrong with who may read it; nil if nothing is.
  package static func complaint(of path: String) -> String? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return "\(path) cannot be read: \(SystemWords.last)" }
    let others: mode_t = facts.st_uid == geteuid() ? 0o077 : 0o037
    return facts.st_mode & others == 0 ? nil : "others may read \(path); forbid it: chmod 600 \(path)"
  }
}
