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

  private let descriptor: Int32
  private let isBigEndian: Bool
  private var buffer: [UInt8]

  static func slip(of name: String) -> String {
    "its log \(name)-wal is wrong in the middle, and what was stored behind that cannot be read"
  }

  /// Whether the log beside the file of this path is damaged. No server uses it meanwhile.
  static func isDamaged(of path: String) -> Bool {
    // What is no file, a FIFO, is not waited for.
    let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: headerBytes)
    guard pread(descriptor, &header, headerBytes, 0) == headerBytes else { return false }
    // SQLite sums in the order of the machine that writes.
    var log = StoreLog(
      descriptor: descriptor, isBigEndian: 1.bigEndian == 1,
      buffer: [UInt8](repeating: 0, count: frameBytes + Schema.pageBytes))
    return log.hasCommitsBehindAWrongFrame(header)
  }

  private mutating func hasCommitsBehindAWrongFrame(_ header: [UInt8]) -> Bool {
    var sums = Self.sum(header, 0..<24, (0, 0), isBigEndian)
    // Of a header that is wrong, the frames are looked at by themselves.
    let isRight = sums == (Self.number(header, 24), Self.number(header, 28))
    var isWrong = !isRight || Self.number(header, 0) >> 1 != 0x377f_0682 >> 1
    var salts = isWrong ? nil : (Self.number(header, 16), Self.number(header, 20))
    var (at, commits) = (Self.headerBytes, 0)
    while pread(descriptor, &buffer, buffer.count, off_t(at)) == buffer.count {
      at += buffer.count
      let own = (Self.number(buffer, 8), Self.number(buffer, 12))
      let told = (Self.number(buffer, 16), Self.number(buffer, 20))
      let summed = Self.sum(buffer, 24..<buffer.count, Self.sum(buffer, 0..<8, sums, isBigEndian), isBigEndian)
      if salts == nil { salts = own }
      let isOfThisLog = salts.map { $0 == own } ?? false
      // The frames of an older log stand behind those of this one.
      guard isOfThisLog || !isWrong else { return false }
      if isOfThisLog, summed == told {
        if isWrong, Self.number(buffer, 4) > 0 { commits += 1 }
        if commits == 2 { return true }
      } else {
        if !isOfThisLog, !followsOne(of: salts, at) { return false }
        // Behind each commit that failed there may stand the end of a longer one that failed before: one commit of each.
        // What follows a commit in one chain is of another one, also if that commit itself is what is wrong.
        (isWrong, commits) = (true, Self.number(buffer, 4) > 0 ? 1 : 0)
      }
      sums = told
    }
    return false
  }

  /// Whether the frame there is one of the log, so that the one before it is a wrong one of it.
  private func followsOne(of salts: (UInt32, UInt32)?, _ at: Int) -> Bool {
    var head = [UInt8](repeating: 0, count: Self.frameBytes)
    guard let salts, pread(descriptor, &head, head.count, off_t(at)) == head.count else { return false }
    return salts == (Self.number(head, 8), Self.number(head, 12))
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
