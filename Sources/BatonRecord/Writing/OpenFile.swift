#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The two files that are written now.
final class OpenFile {
  let chain: AppendedFile
  let contents: AppendedFile

  /// Makes both. Throws if one of them is there already.
  init(_ folder: RecordFolder, _ number: Int) throws(RecordError) {
    let chain = try AppendedFile(making: folder.chain(number))
    do throws(RecordError) {
      contents = try AppendedFile(making: folder.contents(number))
    } catch {
      // The next try finds the number free.
      unlink(chain.path)
      throw error
    }
    self.chain = chain
  }

  var bytes: Int { chain.bytes + contents.bytes }

  /// Takes both away: nothing was written to them.
  func remove() {
    unlink(contents.path)
    unlink(chain.path)
  }
}

/// A file that only grows. A write that came short, or that could not be synced, is taken back before it is tried again: after
/// a sync that failed, the system may have forgotten the bytes, and the next sync would say nothing of that.
final class AppendedFile {
  let path: String
  private let descriptor: Int32
  private(set) var bytes = 0
  /// Whether bytes may stand behind those that count.
  private var isTorn = false

  init(making path: String) throws(RecordError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw RecordError("\(path) cannot be made: \(SystemWords.last)") }
  }

  deinit { close(descriptor) }

  /// Whether the file still has its name.
  var isThere: Bool {
    var (mine, named) = (stat(), stat())
    return fstat(descriptor, &mine) == 0 && lstat(path, &named) == 0 && mine.st_ino == named.st_ino
      && mine.st_dev == named.st_dev
  }

  /// Writes all of it, with `syncs` so that a power cut loses nothing of it, and empties it; or throws, and nothing has
  /// changed.
  func write(_ text: inout [UInt8], syncs: Bool = false) throws(RecordError) {
    guard !text.isEmpty else { return }
    if isTorn {
      guard ftruncate(descriptor, off_t(bytes)) == 0 else {
        throw RecordError("\(path) cannot be cut: \(SystemWords.last)")
      }
      isTorn = false
    }
    var written = 0
    var error: Int32 = 0
    while written < text.count {
      let count = text.withUnsafeBytes { all in
        pwrite(descriptor, all.baseAddress.map { $0 + written }, all.count - written, off_t(bytes + written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        error = count < 0 ? errno : ENOSPC
        break
      }
      written += count
    }
    guard written == text.count else { throw takenBack("written", error) }
    if syncs, !isSynced() { throw takenBack("synced", errno) }
    bytes += written
    text.removeAll(keepingCapacity: text.count < 1 << 20)
  }

  private func takenBack(_ what: String, _ error: Int32) -> RecordError {
    isTorn = ftruncate(descriptor, off_t(bytes)) != 0
    return RecordError("\(path) cannot be \(what): \(SystemWords.words(of: error))")
  }

  /// The file belongs to whom another one belongs.
  func takeOwner(of path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_uid != geteuid() || facts.st_gid != getegid() else { return }
    _ = fchown(descriptor, facts.st_uid, facts.st_gid)
  }

  func sync() throws(RecordError) {
    guard isSynced() else { throw RecordError("\(path) cannot be synced: \(SystemWords.last)") }
  }

  private func isSynced() -> Bool {
    #if canImport(Darwin)
      fsync(descriptor) == 0
    #else
      fdatasync(descriptor) == 0
    #endif
  }
}
