import BatonClient

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The command that an agent starts, as it stands in the entry: whatever happens to the program, the agent gets a no, and
/// all of its question is read. It is the same text for sh, dash, bash, zsh and fish.
struct HookLine: Equatable {
  let program: String
  let form: HookForm
  let words: [String]

  /// Where bash is the shell, a variable may define a function in the place of each other word than `exit` and `unset`.
  private static let start = "/bin/sh -c 'unset -f read echo; \""
  private static let mark = "--in-entry"
  /// Only the two codes that the program adds 80 to are an answer: a shell runs an empty file as a program, and ends with 0.
  /// At any other end the rest of the question is read: an agent whose write fails runs the tool.
  private static let end =
    "; case $? in 80) exit 0;; 82) exit 2;; esac; while read -r l; do :; done; "
    + #"echo "Refused: the guard could not be run. Nothing was run." >&2; exit 2'"#

  init(program: String, form: HookForm, options: HookOptions) {
    (self.program, self.form, words) = (program, form, options.words)
  }

  /// Reads the command of an entry; nil if it is none of this program's for this form.
  init?(_ text: String, _ form: HookForm) {
    guard text.hasPrefix(Self.start), let close = text.dropFirst(Self.start.count).firstIndex(of: "\"") else {
      return nil
    }
    program = String(text[text.index(text.startIndex, offsetBy: Self.start.count)..<close])
    let rest = text[text.index(after: close)...]
    guard rest.hasPrefix(" hook \(form.rawValue) \(Self.mark) "), let semicolon = rest.firstIndex(of: ";") else {
      return nil
    }
    self.form = form
    var words: [String] = []
    for part in rest[..<semicolon].dropFirst(" hook \(form.rawValue) \(Self.mark) ".count).split(
      separator: "\"", omittingEmptySubsequences: false
    )
    .enumerated() {
      // Every second part stands in quotes.
      if part.offset % 2 == 1 {
        words.append(String(part.element))
      } else {
        words += part.element.split(separator: " ").map(String.init)
      }
    }
    self.words = words
  }

  var text: String {
    let spelled = words.map { word in
      word.utf8.allSatisfy { isPlain($0) } ? word : "\"\(word)\""
    }
    return "\(Self.start)\(program)\" hook \(form.rawValue) \(Self.mark) \(spelled.joined(separator: " "))\(Self.end)"
  }

  private func isPlain(_ byte: UInt8) -> Bool {
    let scalar = Unicode.Scalar(byte)
    return scalar.properties.isAlphabetic && byte < 0x80 || ("0"..."9").contains(scalar)
      || "_./:,@=+-".unicodeScalars.contains(scalar)
  }

  /// What is wrong with it; nil if it can be entered.
  var complaint: String? {
    for word in [program] + words {
      if word.unicodeScalars.contains(where: { "'\"$`\\;".unicodeScalars.contains($0) || !$0.isSeen }) {
        return
          "\(word) has a quote, $, `, \\, ; or an unseen character, which shells read in different ways; use another path or name"
      }
    }
    return HookLine.complaint(about: program)
  }

  /// Whether others could put another program in the place of this one.
  static func complaint(about program: String) -> String? {
    var path = program
    while true {
      var facts = stat()
      guard stat(path, &facts) == 0 else { return "\(path) cannot be looked at: \(String(cString: strerror(errno)))" }
      guard facts.st_uid == 0 || facts.st_uid == geteuid() else {
        return
          "\(path) belongs to another user, who could change the guard; install baton where only you or root may write"
      }
      // In a folder such as /tmp, nobody takes away what is not theirs.
      guard facts.st_mode & 0o022 == 0 || facts.st_mode & S_ISVTX != 0 && facts.st_mode & S_IFMT == S_IFDIR else {
        return "\(path) may be written by others, who could change the guard; chmod go-w it, or install baton elsewhere"
      }
      if path == "/" { return nil }
      let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
      path = parent.isEmpty ? "/" : String(parent)
    }
  }

  /// This program, by its whole path.
  static var ownProgram: String? {
    #if canImport(Darwin)
      var size: UInt32 = 4096
      var name = [CChar](repeating: 0, count: Int(size))
      guard _NSGetExecutablePath(&name, &size) == 0, let found = realpath(name, nil) else { return nil }
    #else
      guard let found = realpath("/proc/self/exe", nil) else { return nil }
    #endif
    defer { free(found) }
    return String(cString: found)
  }
}
