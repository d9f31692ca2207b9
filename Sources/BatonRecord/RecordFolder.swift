#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The folder of a record: the names of its files, and what the system says of them.
package struct RecordFolder: Sendable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// No server comes to a higher number: one file for each second of thirty years.
  private static let mostFiles = 999_999_999

  /// `000017`.
  static func name(_ number: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  func chain(_ number: Int) -> String { "\(path)/\(Self.name(number)).jsonl" }
  func contents(_ number: Int) -> String { "\(path)/\(Self.name(number)).contents.jsonl" }

  /// The numbers of the files of the chain, in order. Throws if the folder cannot be read.
  package func numbers() throws(RecordError) -> [Int] { try numbers(ofFiles: ".jsonl") }

  /// The numbers of contents whose file of the chain is not there. A server makes contents after it, and takes them away before.
  func strayContents() throws(RecordError) -> [Int] {
    try numbers(ofFiles: ".contents.jsonl").filter {
      Self.facts(contents($0)) != nil && Self.facts(chain($0)) == nil
    }
  }

  private func numbers(ofFiles ending: String) throws(RecordError) -> [Int] {
    guard let folder = opendir(path) else { throw RecordError("\(path) cannot be read: \(SystemWords.last)") }
    defer { closedir(folder) }
    var numbers: [Int] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasSuffix(ending) else { continue }
      let digits = name.dropLast(ending.utf8.count)
      if let number = Int(digits), 1...Self.mostFiles ~= number, Self.name(number) == digits { numbers.append(number) }
    }
    return numbers.sorted()
  }

  /// The bytes of a file, and when it was changed last, in seconds since 1970; nil if it is not there.
  static func facts(_ path: String) -> (bytes: Int, changed: Int)? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    #if canImport(Darwin)
      return (Int(facts.st_size), facts.st_mtimespec.tv_sec)
    #else
      return (Int(facts.st_size), facts.st_mtim.tv_sec)
    #endif
  }

  /// What is wrong with the folder for a server, and how to mend it; nil if nothing is. One that is not there yet can be
  /// made if the folder around it is there.
  package func complaint() -> String? {
    var facts = stat()
    guard lstat(path, &facts) == 0 else {
      guard errno == ENOENT else { return "\(path) cannot be looked at: \(SystemWords.last)" }
      let above = String(path.reversed().drop { $0 == "/" }.drop { $0 != "/" }.reversed())
      guard stat(above.isEmpty ? "." : above, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
        return "there is no folder \(above.isEmpty ? "." : above) on this machine in which \(path) could be made"
      }
      return nil
    }
    guard facts.st_mode & S_IFMT == S_IFDIR else { return "\(path) is there already, and is no folder" }
    guard facts.st_uid == geteuid() else {
      return "\(path) belongs to another user than the server's; give it to that one (chown), or name another folder"
    }
    guard facts.st_mode & 0o077 == 0 else { return "others may look into \(path); forbid it: chmod 700 \(path)" }
    return nil
  }

  /// The bytes that are free on the disk of the folder, or of the one around it; nil if the system does not say.
  package func freeBytes() -> Int? {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return nil }
    return Int(facts.f_bavail) * Int(facts.f_frsize)
  }

  /// Reads a file of at most so many bytes.
  package static func read(_ path: String, atMost most: Int = 1 << 20) throws(RecordError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RecordError("\(path) cannot be read: \(SystemWords.last)") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: most + 1)
    var count = 0
    while count <= most {
      let read = bytes.withUnsafeMutableBytes { readMore(file, $0, from: count) }
      guard read >= 0 else { throw RecordError("\(path) cannot be read: \(SystemWords.last)") }
      if read == 0 { break }
      count += read
    }
    guard count <= most else { throw RecordError("\(path) has more than \(most) bytes") }
    return Array(bytes.prefix(count))
  }
}

private func readMore(_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer, from offset: Int) -> Int {
  guard let base = bytes.baseAddress else { return 0 }
  return read(file, base + offset, bytes.count - offset)
}

/// What the system says of its last error.
enum SystemWords {
  static var last: String { words(of: errno) }
  static func words(of error: Int32) -> String { String(cString: strerror(error)) }
}
