import UV

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The person's editor: `$VISUAL`, `$EDITOR`, or vi. It has the terminal until it ends.
enum Editor {
  /// Lets the person edit a text, and returns what was left there. Throws why that did not work.
  static func edit(_ text: String) async throws(EditedText.Fault) -> EditedText {
    let path = try TemporaryFile(text)
    defer { path.remove() }
    let file = path.path
    let code = await withCheckedContinuation { continuation in
      let hasBegun = SideThread.start { continuation.resume(returning: run(on: file)) }
      if !hasBegun { continuation.resume(returning: 127) }
    }
    guard code == 0 else {
      throw EditedText.Fault(words: "the editor (\(command)) ended with \(code); nothing was changed")
    }
    guard let left = path.text else { throw EditedText.Fault(words: "what the editor left is not UTF-8 text") }
    return EditedText(text: left)
  }

  /// The command, which a shell takes apart: it may have arguments.
  private static var command: String { Environment["VISUAL"] ?? Environment["EDITOR"] ?? "vi" }

  /// Runs the editor and returns its exit code.
  private static func run(on path: String) -> Int32 {
    var attributes = attributes()
    defer { posix_spawnattr_destroy(&attributes) }
    let words = ["sh", "-c", command + " \"$1\"", "sh", path]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    guard posix_spawn(&child, "/bin/sh", nil, &attributes, &arguments, environ) == 0 else { return 127 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 { if errno != EINTR { return 127 } }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// The editor begins with no signal blocked or ignored; tasks run on threads that block them.
  private static func attributes() -> PrivateAttributes {
    var attributes = PrivateAttributes()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var usual = sigset_t()
    sigemptyset(&usual)
    for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP] { sigaddset(&usual, number) }
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return attributes
  }

  #if canImport(Darwin)
    private typealias PrivateAttributes = posix_spawnattr_t?
  #else
    private typealias PrivateAttributes = posix_spawnattr_t
  #endif
}

/// A file that only this user reads, for the time of an edit.
private struct TemporaryFile {
  let path: String

  init(_ text: String) throws(EditedText.Fault) {
    let folder = Environment["TMPDIR"] ?? "/tmp"
    var name = Array("\(folder)/baton-XXXXXX.json".utf8CString)
    let file = mkstemps(&name, 5)
    guard file >= 0 else {
      throw EditedText.Fault(words: "no file can be made in \(folder): \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var text = text
    let isWritten = text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let count = write(file, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
    guard isWritten else {
      let why = String(cString: strerror(errno))
      remove()
      throw EditedText.Fault(words: "\(path) cannot be written: \(why)")
    }
  }

  /// What stands in it; nil if it is no text, or is gone. Editors write a new file in its place.
  var text: String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= 256 << 20 {
      let count = fread(&part, 1, part.count, file)
      if count == 0 { break }
      bytes += part[..<count]
    }
    return String(validating: bytes, as: UTF8.self)
  }

  func remove() { unlink(path) }
}
