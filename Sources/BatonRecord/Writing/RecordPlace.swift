#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The folder of a record, which one server has at a time: it holds the lock.
package final class RecordPlace: Sendable {
  package let folder: RecordFolder
  /// The number of the last file that was there; 0 without one.
  package let lastNumber: Int
  private let descriptor: Int32
  private let lock: Int32
  private let device: UInt64
  private let node: UInt64

  /// Takes the folder. It is made if it is not there. Throws if it is another's, or another server has it.
  package init(_ folder: RecordFolder) throws(RecordError) {
    self.folder = folder
    if let complaint = folder.complaint() { throw RecordError(complaint) }
    let isNew = mkdir(folder.path, 0o700) == 0
    if !isNew, errno != EEXIST { throw RecordError("the folder \(folder.path) cannot be made: \(SystemWords.last)") }
    descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw RecordError("\(folder.path) cannot be opened: \(SystemWords.last)") }
    if isNew { try RecordPlace.sync("\(folder.path)/..") }
    lock = open("\(folder.path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let lockError = errno
    var facts = stat()
    fstat(descriptor, &facts)
    (device, node) = (UInt64(truncatingIfNeeded: facts.st_dev), UInt64(truncatingIfNeeded: facts.st_ino))
    guard lock >= 0 else {
      lastNumber = 0
      throw RecordError("\(folder.path)/lock cannot be opened: \(SystemWords.words(of: lockError))")
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      lastNumber = 0
      throw RecordError(
        "\(folder.path) is in use by another server; stop that one, or give this one another folder", mayPass: true)
    }
    lastNumber = try folder.numbers().last ?? 0
  }

  deinit {
    if lock >= 0 { close(lock) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Throws if the folder is not where it was, or the file has gone.
  func check(_ file: OpenFile?) throws(RecordError) {
    var facts = stat()
    guard lstat(folder.path, &facts) == 0, UInt64(truncatingIfNeeded: facts.st_dev) == device,
      UInt64(truncatingIfNeeded: facts.st_ino) == node
    else {
      throw RecordError("the folder \(folder.path) has gone, or is another one; put it back, or start the server anew")
    }
    guard let file else { return }
    for one in [file.chain, file.contents] where !one.isThere {
      throw RecordError("the file \(one.path) has gone, or is another one; put it back, or start the server anew")
    }
  }

  /// A power cut loses no file that is in the folder now, and nothing of the files of this number.
  func sync(_ number: Int) throws(RecordError) {
    for path in [folder.contents(number), folder.chain(number), folder.path] { try RecordPlace.sync(path) }
  }

  private static func sync(_ path: String) throws(RecordError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    // It is not there; or it is the folder above, which only others may read.
    guard file >= 0 else { return }
    defer { close(file) }
    guard fsync(file) == 0 else { throw RecordError("\(path) cannot be synced: \(SystemWords.last)") }
  }
}
