#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Takes lines out of the contents of a record. The chain stays as it is.
package struct RecordEraser {
  private let folder: RecordFolder

  package init(_ folder: RecordFolder) { self.folder = folder }

  /// What was done.
  package struct Outcome: Sendable {
    /// The lines of contents that were taken out.
    package var erased = 0
    /// The lines that would go, and stand in the file that a server writes now.
    package var left = 0
  }

  /// Takes out the contents that `isMeant` names: it is given the line of the chain and its contents.
  package func erase(_ isMeant: (_ line: RecordLine, _ contents: RecordLine) -> Bool) throws(RecordError) -> Outcome {
    let numbers = try folder.numbers()
    guard let last = numbers.last else { throw RecordError("\(folder.path) has no record") }
    var outcome = Outcome()
    for number in numbers {
      guard let meant = try self.meant(in: number, isMeant), !meant.isEmpty else { continue }
      if number == last, isInUse {
        outcome.left += meant.count
      } else {
        try rewrite(number, without: meant)
        outcome.erased += meant.count
      }
    }
    return outcome
  }

  private func meant(
    in number: Int, _ isMeant: (RecordLine, RecordLine) -> Bool
  ) throws(RecordError) -> Set<Int>? {
    guard let file = try LineFile(folder.chain(number)) else { return nil }
    var contents = try ContentsReader(folder.contents(number))
    var meant: Set<Int> = []
    while let line = try file.next({ RecordLine($0, isChain: true) }) {
      guard let line, line.json("contents") != nil, let kept = try contents.read(line.n) else { continue }
      if isMeant(line, kept) { meant.insert(line.n) }
    }
    return meant
  }

  /// Whether a server has the record.
  private var isInUse: Bool {
    let lock = open("\(folder.path)/lock", O_RDWR | O_CLOEXEC)
    guard lock >= 0 else { return errno != ENOENT }
    defer { close(lock) }
    return flock(lock, LOCK_EX | LOCK_NB) != 0
  }

  /// The lines that stay are written beside the file, which they then replace.
  private func rewrite(_ number: Int, without gone: Set<Int>) throws(RecordError) {
    let path = folder.contents(number)
    let beside = "\(path).new"
    unlink(beside)
    guard let old = try LineFile(path) else { throw RecordError("\(path) is gone") }
    let new = try AppendedFile(making: beside)
    new.takeOwner(of: path)
    var text: [UInt8] = []
    while let line = try old.next({ line in (RecordLine(line, isChain: false)?.n, Array(line)) }) {
      if let n = line.0, gone.contains(n) { continue }
      text += line.1
      text.append(UInt8(ascii: "\n"))
      if text.count > 1 << 20 { try new.write(&text) }
    }
    try new.write(&text)
    try new.sync()
    guard rename(beside, path) == 0 else { throw RecordError("\(path) cannot be replaced: \(SystemWords.last)") }
    let directory = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }
}
