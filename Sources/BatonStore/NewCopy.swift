private import Synchronization
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A copy of a store that is being written: in a folder of its own beside its target (`TARGET.partial-` and eight
/// characters), and under the target's name once it is whole. So two that are written at once do not meet, no file of
/// somebody else is changed, and once the folder is removed SQLite can put nothing there any more.
package final class NewCopy: Sendable {
  /// Where it is written.
  let path: String
  private let target: String
  /// The target, from the root.
  private let place: String
  /// The folder of its own.
  private let own: String
  /// That of the target.
  private let folder: String
  /// Whether it has its name, or was given up.
  private let isOver = Mutex(false)

  /// Refuses a target that is there, or that would be taken for what it is not.
  init(at target: String) throws(StoreError) {
    guard !target.isEmpty else { throw StoreError("the name of the copy is empty; name a file that is not there yet") }
    try StorePath.refuseNameBeside(target)
    try Self.expectNothing(at: target)
    folder = try StorePath.folder(of: target)
    self.target = target
    place = StorePath.fromRoot(target, in: folder)
    own = place + ".partial-" + String(1 << 32 | UInt64.random(in: 0..<1 << 32), radix: 16).dropFirst()
    path = own + "/store"
  }

  /// Makes the folder, in which nothing is.
  func make() throws(StoreError) {
    let words = isOver.withLock { isOver -> StoreError? in
      guard !isOver else { return isGivenUp }
      guard mkdir(own, 0o700) == 0 else { return StoreError("\(target) cannot be made: \(StorePath.words(errno))") }
      return nil
    }
    if let words { throw words }
  }

  private var isGivenUp: StoreError { StoreError("\(target) was given up") }

  /// Nothing has the name, and nothing beside it would be taken for a part of the copy.
  private static func expectNothing(at target: String) throws(StoreError) {
    try StorePath.refuseLinkToNothing(target)
    var about = stat()
    if lstat(target, &about) == 0 { throw isThere(target, isFolder: about.st_mode & S_IFMT == S_IFDIR) }
    for end in StorePath.ends where end != ".mark" && lstat(target + end, &about) == 0 {
      throw StoreError(
        "\(target)\(end) is there, and would be taken for a part of the copy; move it away, or name another file")
    }
  }

  private static func isThere(_ target: String, isFolder: Bool = false) -> StoreError {
    StoreError(
      isFolder
        ? "\(target) is a folder; name a file in it that is not there yet"
        : "\(target) is there already; name another file, or move it away")
  }

  /// Gives it up: removes what is not whole, also while SQLite still writes. `end` ends the program, before whoever writes can
  /// say what SQLite says of that.
  package func remove(andThen end: () -> Void = {}) {
    isOver.withLock { isOver in
      if !isOver { clear() }
      isOver = true
      end()
    }
  }

  private func clear() {
    // Whoever writes may put another file there between two of these steps, for it does so a few times in all.
    for _ in 1...100 {
      for end in [""] + StorePath.ends { unlink(path + end) }
      if rmdir(own) == 0 || errno == ENOENT { return }
    }
  }

  /// Gives it its name, once its bytes are on disk.
  func finish() throws(StoreError) {
    let words = isOver.withLock { isOver -> StoreError? in
      guard !isOver else { return isGivenUp }
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      let isOnDisk = descriptor >= 0 && fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0
      let reason = errno
      if descriptor >= 0 { close(descriptor) }
      guard isOnDisk else { return StoreError("\(target) cannot be written: \(StorePath.words(reason))") }
      if let words = takeName() { return words }
      clear()
      isOver = true
      return nil
    }
    if let words { throw words }
    try StorePath.keepName(target, in: folder)
  }

  /// A file that came meanwhile is not replaced.
  private func takeName() -> StoreError? {
    switch NewName.give(path, place) {
    case 0: return nil
    case EEXIST: return Self.isThere(target)
    case EINVAL, ENOSYS, ENOTSUP: break
    case let reason: return StoreError("\(target) cannot be made: \(StorePath.words(reason))")
    }
    // A disk that cannot do it in one step: whoever makes the name has it.
    let name = open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard name >= 0 else {
      return errno == EEXIST
        ? Self.isThere(target) : StoreError("\(target) cannot be made: \(StorePath.words(errno))")
    }
    close(name)
    guard rename(path, place) == 0 else {
      let reason = errno
      unlink(place)
      return StoreError("\(target) cannot be written: \(StorePath.words(reason))")
    }
    return nil
  }
}
