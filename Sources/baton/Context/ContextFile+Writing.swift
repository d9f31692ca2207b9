import BatonConfig

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How the file is changed: who reads it finds the old one or the new one, whole.
extension ContextFile {
  /// Reads the file, lets `change` change what it says, and writes it. Of two programs that do so at once, one waits.
  static func change(_ change: (inout ContextFile) throws -> Void) throws {
    guard let path = usualPath else {
      throw ContextTrouble("no folder for the file of contexts: set HOME, or XDG_CONFIG_HOME")
    }
    let folder = try makeFolder(folder(of: path))
    defer { close(folder) }
    flock(folder, LOCK_EX)
    var file = try read(at: path)
    let old = file
    try change(&file)
    if file != old { try file.write() }
  }

  /// The folder, with a lock for it. Folders that are missing are made for this user alone.
  private static func makeFolder(_ path: String) throws(ContextTrouble) -> Int32 {
    var made = ""
    for name in path.split(separator: "/") {
      made += "/\(name)"
      guard mkdir(made, 0o700) == 0 || errno == EEXIST || access(made, F_OK) == 0 else { throw failed("made", made) }
    }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failed("opened", path) }
    return folder
  }

  /// Nobody else may read the new file, at no time. It takes the place of the old one once it is on disk.
  private func write() throws(ContextTrouble) {
    let text = text
    // What YAML cannot say is in no name, but may be in a path.
    let tree = Tree(Array(text.utf8), path: path)
    guard tree.mistakes.isEmpty else {
      throw ContextTrouble("a file or place with such characters cannot stand in \(path); give it another name")
    }
    // Where the file is a link, what it leads to is written.
    let target = realpath(path, nil)
    defer { free(target) }
    let place = target.map { String(cString: $0) } ?? path
    let new = "\(place).new-\(getpid())"
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failed("written", new) }
    let bytes = Array(text.utf8)
    let isWritten = writeAll(descriptor, bytes) && fsync(descriptor) == 0
    let reason = errno
    close(descriptor)
    guard isWritten, rename(new, place) == 0 else {
      if !isWritten { errno = reason }
      let trouble = Self.failed("written", place)
      unlink(new)
      throw trouble
    }
  }

  private static func failed(_ what: String, _ path: String) -> ContextTrouble {
    ContextTrouble("\(path) cannot be \(what): \(String(cString: strerror(errno)))")
  }

  /// What stands in the file.
  private var text: String {
    var lines = ["# Servers that have names. baton context writes this file, and keeps no other comments."]
    if let used { lines.append("use: \(used)") }
    lines.append(contexts.isEmpty ? "contexts: {}" : "contexts:")
    for context in contexts {
      lines.append("  \(context.name):")
      for (key, values) in context.values {
        let spelled = values.map { $0 == "true" && key == "plain_token" ? $0 : "'\($0.replacing("'", with: "''"))'" }
        lines.append("    \(key): " + (key == "tls_pin" ? "[\(spelled.joined(separator: ", "))]" : spelled[0]))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Writes all of it.
private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
  }
  return true
}
