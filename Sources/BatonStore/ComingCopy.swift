package import BatonLasting
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A copy of another node's store, `FILE.copy`, which comes in pieces and takes the place of `FILE`. All of it may wait for the disk.
package final class ComingCopy: Sendable {
  /// Its bytes, when it is whole.
  package let count: Int
  private let store: String
  private let path: String
  private let descriptor: Int32

  /// Begins one beside the store; what is left of an earlier one goes.
  package init(beside store: String, count: Int) throws(StoreError) {
    (self.store, self.count, path) = (store, count, store + ".copy")
    unlink(path)
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StoreError("\(path) cannot be made: \(StorePath.words(errno))") }
    guard let free = StorePath.freeBytes(at: path), free - ComingCopy.leastFree > count else {
      remove()
      throw StoreError("the disk of \(store) has no room for \(count) more bytes; make room on it")
    }
  }

  /// Bytes that are left free.
  private static let leastFree = 16 << 20

  deinit { close(descriptor) }

  /// Removes it.
  package func remove() { unlink(path) }

  /// Writes a piece.
  package func write(_ piece: [UInt8], at offset: Int) throws(StoreError) {
    var done = 0
    while done < piece.count {
      let count = piece.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + done }, piece.count - done, off_t(offset + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreError("\(path) cannot be written: \(StorePath.words(errno))") }
      done += count
    }
  }

  /// All pieces are there: reads all of it, and tells how far it came in its log. Throws if it is no sound store of a log.
  package func check() throws -> LogPosition {
    guard fsync(descriptor) == 0 else { throw StoreError("\(path) cannot be written: \(StorePath.words(errno))") }
    let file = try StoreFile(path: path)
    defer { file.database.close() }
    let counts = try file.check { _ in }
    guard counts.unreadable == 0, let position = try file.logPosition() else {
      throw StoreError("the copy of the leader's store is no sound store of a log")
    }
    return position
  }

  /// Gives it the name of the store, which nobody has open any more. That one has this end of its name from then on; nil: it goes,
  /// for all of it is in the copy.
  package func takePlace(keeping end: String?) throws(StoreError) {
    for part in [""] + StorePath.ends where part != ".mark" {
      guard access(store + part, F_OK) == 0 else { continue }
      guard let end else {
        // The copy takes its name in one step.
        if !part.isEmpty { unlink(store + part) }
        continue
      }
      guard NewName.give(store + part, store + end + part) == 0 else {
        throw StoreError("\(store)\(part) cannot be kept as \(store)\(end)\(part): \(StorePath.words(errno))")
      }
    }
    guard rename(path, store) == 0 else {
      throw StoreError("the copy \(path) cannot take the place of \(store): \(StorePath.words(errno))")
    }
    try StorePath.keepName(store, in: StorePath.folder(of: store))
  }
}
