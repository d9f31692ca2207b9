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

  /// What a copy is that has come whole.
  package struct Found: Sendable {
    /// How far it came in its log.
    package let position: LogPosition
    /// Rows of it that are damaged, as they are at the leader, or since.
    package let damaged: Int
  }

  /// All pieces are there: reads all of it. Throws if it is no store of a log, or cannot be read.
  package func check() throws -> Found {
    guard fsync(descriptor) == 0 else { throw StoreError("\(path) cannot be written: \(StorePath.words(errno))") }
    let file = try StoreFile(path: path)
    defer { file.database.close() }
    let counts = try file.check { _ in }
    guard counts.unreadable == 0, let position = try file.logPosition() else {
      throw StoreError("the copy of the leader's store is no sound store of a log")
    }
    return Found(position: position, damaged: counts.damaged)
  }

  /// Gives it the name of the store, which nobody has open any more, in one step: a kill leaves the one or the other. The old file
  /// has this end of its name from then on, or the next one that is free, which is returned; nil: it goes, for all of it is in the
  /// copy.
  package func takePlace(keeping end: String?) throws(StoreError) -> String? {
    let kept = try end.map { end throws(StoreError) in try keep(end) }
    if kept == nil { for part in ComingCopy.parts { unlink(store + part) } }
    guard rename(path, store) == 0 else {
      let reason = errno
      _ = ComingCopy.undo(at: store)
      throw StoreError("the copy \(path) cannot take the place of \(store): \(StorePath.words(reason))")
    }
    try StorePath.keepName(store, in: StorePath.folder(of: store))
    return kept
  }

  /// Files beside a store that are a part of it.
  private static let parts = StorePath.ends.filter { $0 != ".mark" }

  /// Gives the store another name besides; what is a part of it has that alone.
  private func keep(_ end: String) throws(StoreError) -> String {
    let ends = [end] + (2...9).map { "\(end)-\($0)" }
    guard let end = ends.first(where: isFree) else {
      throw StoreError("\(store) cannot be kept as \(store)\(end): that is there, up to \(ends[8]); move them away")
    }
    // A kill may have come behind this step once.
    if ComingCopy.file(at: store + end) == nil, link(store, store + end) != 0 {
      let reason = errno == EPERM || errno == ENOTSUP ? NewName.give(store, store + end) : errno
      guard reason == 0 else { throw complaint("", end, reason) }
    }
    for part in ComingCopy.parts where ComingCopy.file(at: store + part) != nil {
      guard rename(store + part, store + end + part) == 0 else { throw complaint(part, end, errno) }
    }
    return end
  }

  /// A copy that was about to take the place of this store has not: takes back the name that the store has got besides. Returns
  /// whether it has one name again.
  static func undo(at store: String) -> Bool {
    let start = "\(store[(store.lastIndex(of: "/").map { store.index(after: $0) } ?? store.startIndex)...]).before-"
    guard let folder = try? StorePath.folder(of: store), let own = file(at: store), let entries = opendir(folder) else {
      return false
    }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let other = "\(folder)/\(name)"
      guard name.hasPrefix(start), file(at: other) == own else { continue }
      for part in parts where file(at: store + part) == nil { rename(other + part, store + part) }
      unlink(other)
    }
    var about = stat()
    return stat(store, &about) == 0 && about.st_nlink == 1
  }

  private func complaint(_ part: String, _ end: String, _ reason: Int32) -> StoreError {
    StoreError("\(store)\(part) cannot be kept as \(store)\(end)\(part): \(StorePath.words(reason))")
  }

  /// Whether the store could have this end of its name, or has it.
  private func isFree(_ end: String) -> Bool {
    guard ComingCopy.parts.allSatisfy({ ComingCopy.file(at: store + end + $0) == nil }) else { return false }
    let there = ComingCopy.file(at: store + end)
    return there == nil || there == ComingCopy.file(at: store)
  }

  /// Which file has a name; nil: none.
  private static func file(at path: String) -> [UInt64]? {
    var about = stat()
    return lstat(path, &about) == 0 ? [UInt64(about.st_dev), UInt64(about.st_ino)] : nil
  }
}
