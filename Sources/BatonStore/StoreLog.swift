#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The log of a store (FILE-wal), as SQLite writes it (its page "WAL-mode File Format"). SQLite reads it up to the first
/// frame that is wrong, and passes over what follows without a word: that is what a crash leaves of a commit that was not
/// waited for. But a commit is waited for before the next one is written. So where two commits stand behind a wrong frame,
/// the log was damaged later, and what was told stored would be lost.
struct StoreLog {
  private static let headerBytes = 32
  private static let frameBytes = 24

  private let name: String
  private let descriptor: Int32
  private let isBigEndian: Bool
  private var buffer: [UInt8]

  /// What tools say is wrong with the log beside the file of this path; nil if nothing is.
  static func slip(of path: String, _ name: String) -> Slip? {
    do throws(StoreError) {
      return try isDamaged(of: path, name) ? Slip(words: words(name)) : nil
    } catch {
      return Slip(words: error.description, isUnreadable: true)
    }
  }

  private static func words(_ name: String) -> String {
    "its log \(name)-wal is wrong in the middle, and what was stored behind that cannot be read"
  }

  /// Whether the log beside the file of this path is damaged. No server uses it meanwhile. Throws if the disk does not give it:
  /// SQLite would take what it gives for all that there is.
  static func isDamaged(of path: String, _ name: String) throws(StoreError) -> Bool {
    // What is no file, a FIFO, is not waited for.
    let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // SQLite sums in the order of the machine that writes.
    var log = StoreLog(
      name: name, descriptor: descriptor, isBigEndian: 1.bigEndian == 1,
      buffer: [UInt8](repeating: 0, count: frameBytes + Schema.pageBytes))
    return try log.hasCommitsBehindAWrongFrame()
  }

  /// Reads so many bytes into the buffer. Returns false if there are fewer.
  private mutating func read(_ count: Int, at place: off_t) throws(StoreError) -> Bool {
    let found = pread(descriptor, &buffer, count, place)
    guard found >= 0 else {
      throw StoreError("its log \(name)-wal cannot be read: \(systemWords(errno))")
    }
    return found == count
  }

  private mutating func hasCommitsBehindAWrongFrame() throws(StoreError) -> Bool {
    guard try read(Self.headerBytes, at: 0) else { return false }
    let header = buffer
    var (sums, salts) = (Self.sum(header, 0..<24, (0, 0), isBigEndian), Self.pair(header, 16))
    let isRight = sums == Self.pair(header, 24) && Self.number(header, 0) >> 1 == 0x377f_0682 >> 1
    let own = salts
    var (isWrong, commits, at) = (!isRight, 0, off_t(Self.headerBytes))
    // Behind the frames of this log stand those of an older one. And where a disk has damaged a block, there may be anything.
    while try read(Self.frameBytes, at: at) {
      let (its, told) = (Self.pair(buffer, 8), Self.pair(buffer, 16))
      // A header that is wrong does not say whose the frames are.
      let isOfThisLog = its == own || !isRight
      var follows = false
      if isOfThisLog {
        guard try read(buffer.count, at: at) else { return false }
        let summed = Self.sum(buffer, 24..<buffer.count, Self.sum(buffer, 0..<8, sums, isBigEndian), isBigEndian)
        follows = its == salts && summed == told
      }
      let commit = isOfThisLog && Self.number(buffer, 4) > 0 ? 1 : 0
      if !follows {
        // Behind each commit that failed there may stand the end of a longer one that failed before: one commit of each.
        // What follows a commit in one chain is of another one, also if that commit itself is what is wrong.
        (isWrong, commits) = (true, commit)
      } else if isWrong {
        commits += commit
      }
      if commits == 2 { return true }
      (sums, salts) = (told, its)
      at += off_t(buffer.count)
    }
    return false
  }

  private static func pair(_ bytes: [UInt8], _ at: Int) -> (UInt32, UInt32) {
    (number(bytes, at), number(bytes, at + 4))
  }

  /// Numbers in the log have their highest byte first.
  private static func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    bytes.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: at, as: UInt32.self)) }
  }

  /// The checksum goes on from that of what stands before.
  private static func sum(
    _ bytes: [UInt8], _ range: Range<Int>, _ before: (UInt32, UInt32), _ isBigEndian: Bool
  ) -> (UInt32, UInt32) {
    var (one, two) = before
    bytes.withUnsafeBytes { bytes in
      for at in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        let first = bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
        let second = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
        one = one &+ (isBigEndian ? UInt32(bigEndian: first) : UInt32(littleEndian: first)) &+ two
        two = two &+ (isBigEndian ? UInt32(bigEndian: second) : UInt32(littleEndian: second)) &+ one
      }
    }
    return (one, two)
  }
}
