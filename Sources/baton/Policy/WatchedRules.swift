import BatonClient
import BatonConfig
import BatonPolicy
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The rules that are in force, and the file that they come from, which is looked at each second. A file that has changed
/// is taken when it has stood still for a second. With a mistake in it the old rules stay; without a file there are none,
/// and everything is refused.
final class WatchedRules: Sendable {
  private let path: String
  /// Nil while the file cannot be read.
  private let judge: Mutex<Judge?>
  private let watch: Mutex<Watch>

  private struct Watch {
    /// The file as it was read last, whatever it said; and as it was seen last.
    var read: FileSign?
    var seen: FileSign?
    /// The mistakes that keep the file from being taken, and how many looks ago they were told.
    var mistakes: [String] = []
    var looks = 0
  }

  /// How many looks lie between two lines about the same mistakes.
  private static let patience = 60

  /// The file at `path` has said `rules`, and was `sign` before it was read.
  init(_ rules: Rules, path: String, sign: FileSign?) {
    self.path = path
    judge = Mutex(Judge(rules))
    watch = Mutex(Watch(read: sign, seen: sign))
  }

  /// What the rules say of a call, and which rules they are.
  func decide(_ payload: Payload?, isDoubtful: Bool) -> (decision: Decision, rules: String?) {
    judge.withLock { judge in
      let name = judge?.rules.name
      let decision = judge?.decide(payload?.bytes, isDoubtful: isDoubtful)
      return (decision ?? Decision(.refuse("the file of rules cannot be read"), by: nil), name)
    }
  }

  /// Which rules are in force.
  var words: String {
    let rules = judge.withLock { $0?.rules.words }
    return rules.map { "\($0) of \(path)" } ?? "no rules, and refuses everything: \(path) cannot be read"
  }

  /// Looks at the file. Nobody who asks for a decision waits for the disk.
  func look() {
    for line in watch.withLock({ look(&$0) }) { talk("baton: \(line)") }
  }

  private func look(_ watch: inout Watch) -> [String] {
    guard let sign = FileSign(path) else { return lose(&watch, "it is not there, or no file that can be read") }
    defer { watch.seen = sign }
    if sign == watch.read { return remind(&watch) }
    // It may not be written to its end yet.
    guard sign == watch.seen else { return [] }
    do throws(ConfigMistakes) {
      let rules = try Rules.read(at: path, .regularFile)
      judge.withLock { $0 = Judge(rules) }
      (watch.read, watch.mistakes) = (sign, [])
      return ["\(path): \(rules.words) are in force"]
    } catch {
      // It has gone meanwhile.
      if FileSign(path) == nil { return lose(&watch, error.all[0].message) }
      watch.read = sign
      let rest = judge.withLock { $0 == nil } ? "everything is refused" : "the old rules stay"
      (watch.mistakes, watch.looks) = (error.lines.map { "\($0); \(rest)" }, 0)
      return watch.mistakes
    }
  }

  private func lose(_ watch: inout Watch, _ why: String) -> [String] {
    let wasThere = judge.withLock { judge in
      defer { judge = nil }
      return judge != nil
    }
    (watch.read, watch.seen, watch.mistakes) = (nil, nil, [])
    return wasThere ? ["\(path): \(why); everything is refused until it is there again"] : []
  }

  /// Once a minute, what is wrong with the file.
  private func remind(_ watch: inout Watch) -> [String] {
    guard !watch.mistakes.isEmpty else { return [] }
    watch.looks += 1
    guard watch.looks == Self.patience else { return [] }
    watch.looks = 0
    return watch.mistakes
  }
}

extension Rules {
  /// `7 rules (5f2a91c0)`.
  var words: String { "\(counted(all.count, "rule", "rules")) (\(name))" }
}

/// What tells that a file is another one, or was written.
struct FileSign: Equatable, Sendable {
  private let device, inode, size, seconds, nanoseconds, changedSeconds, changedNanoseconds: Int64

  /// Nil if it is no file that can be read.
  init?(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    #if canImport(Darwin)
      let (written, changed) = (facts.st_mtimespec, facts.st_ctimespec)
    #else
      let (written, changed) = (facts.st_mtim, facts.st_ctim)
    #endif
    (device, inode, size) = (Int64(facts.st_dev), Int64(facts.st_ino), Int64(facts.st_size))
    (seconds, nanoseconds) = (Int64(written.tv_sec), Int64(written.tv_nsec))
    (changedSeconds, changedNanoseconds) = (Int64(changed.tv_sec), Int64(changed.tv_nsec))
  }
}
