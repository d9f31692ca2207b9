#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A file of settings on the disk: it is found, read whole, and replaced whole.
struct SettingsFile {
  /// Why it is not read or written.
  struct Fault: Error {
    let words: String
  }

  /// The path as it was given, and the file at the end of its links.
  let path: String
  let target: String
  /// What it has; nil if it is not there.
  private(set) var bytes: [UInt8]?
  private var mode: mode_t = 0o600

  static let most = 4 << 20

  init(_ path: String) throws(Fault) {
    self.path = path
    if let found = realpath(path, nil) {
      target = String(cString: found)
      free(found)
    } else if errno == ENOENT || errno == ENOTDIR, !SettingsFile.isThere(path) {
      target = path
    } else {
      throw Fault(words: "\(path) is a link that leads nowhere, or cannot be followed")
    }
    var facts = stat()
    guard stat(target, &facts) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return }
      throw SettingsFile.fault("looked at", target)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw Fault(words: "\(target) is no regular file") }
    guard facts.st_uid == geteuid() else {
      throw Fault(words: "\(target) belongs to another user; run this as that user")
    }
    mode = facts.st_mode & 0o7777
    bytes = try SettingsFile.read(target)
  }

  /// Whether something stands there, be it a link that leads nowhere.
  private static func isThere(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0
  }

  private static func read(_ path: String) throws(Fault) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw fault("read", path) }
    defer { close(descriptor) }
    var (bytes, count) = ([UInt8](repeating: 0, count: most + 1), 0)
    while count <= most {
      let more = bytes.withUnsafeMutableBytes {
        systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw fault("read", path) }
      if more == 0 { break }
      count += more
    }
    guard count <= most else { throw Fault(words: "\(path) has more than \(most) bytes") }
    return Array(bytes.prefix(count))
  }

  private static func fault(_ what: String, _ path: String) -> Fault {
    Fault(words: "\(path) cannot be \(what): \(String(cString: strerror(errno)))")
  }

  // MARK: Writing

  /// Puts the text in the place of the old one, and keeps the old one beside it. Returns false if the file has changed since
  /// it was read.
  func replace(with text: [UInt8]) throws(Fault) -> Bool {
    guard let bytes else { return try create(text) }
    try keep(bytes)
    let new = try write(text, beside: target)
    guard try SettingsFile.read(target) == bytes else {
      unlink(new)
      return false
    }
    guard rename(new, target) == 0 else {
      let fault = SettingsFile.fault("written", target)
      unlink(new)
      throw fault
    }
    try check(text)
    return true
  }

  /// Takes the file away, if it has not changed since it was read.
  func remove() throws(Fault) -> Bool {
    guard try SettingsFile.read(target) == bytes else { return false }
    guard unlink(target) == 0 else { throw SettingsFile.fault("taken away", target) }
    return true
  }

  /// The file is new: it is there whole, or not at all.
  private func create(_ text: [UInt8]) throws(Fault) -> Bool {
    var made = ""
    for name in target.split(separator: "/").dropLast() {
      made += "/\(name)"
      guard mkdir(made, 0o700) == 0 || errno == EEXIST || access(made, F_OK) == 0 else {
        throw SettingsFile.fault("made", made)
      }
    }
    let new = try write(text, beside: target)
    defer { unlink(new) }
    guard link(new, target) == 0 else {
      if errno == EEXIST { return false }
      throw SettingsFile.fault("written", target)
    }
    try check(text)
    return true
  }

  private func check(_ text: [UInt8]) throws(Fault) {
    guard try SettingsFile.read(target) == text else { throw Fault(words: "\(target) was changed by another program") }
  }

  /// Writes a new file, on the disk, with the mode of the old one. Returns its path.
  private func write(_ text: [UInt8], beside target: String) throws(Fault) -> String {
    let new = "\(target).baton-\(getpid())"
    unlink(new)
    try make(new, text)
    return new
  }

  private func make(_ path: String, _ text: [UInt8]) throws(Fault) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SettingsFile.fault("written", path) }
    defer { close(descriptor) }
    var rest = text[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { break }
    }
    guard rest.isEmpty, fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else {
      let fault = SettingsFile.fault("written", path)
      unlink(path)
      throw fault
    }
  }

  // MARK: What was there before

  private func kept(_ number: Int) -> String { "\(target).before-baton\(number == 1 ? "" : "-\(number)")" }

  private func keep(_ bytes: [UInt8]) throws(Fault) {
    for number in 1...100 where access(kept(number), F_OK) != 0 {
      return try make(kept(number), bytes)
    }
    throw Fault(words: "\(target) has a hundred files .before-baton beside it; take some away")
  }

  /// What was kept, with its path.
  var old: [(path: String, bytes: [UInt8])] {
    (1...100).compactMap { number in
      let path = kept(number)
      return access(path, F_OK) == 0 ? (try? SettingsFile.read(path)).map { (path, $0) } : nil
    }
  }
}

/// The calls of the system, whose names the type has, too.
private func systemRead(_ descriptor: Int32, _ place: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, place.baseAddress, place.count)
}

private func systemWrite(_ descriptor: Int32, _ place: UnsafeRawBufferPointer) -> Int {
  write(descriptor, place.baseAddress, place.count)
}
