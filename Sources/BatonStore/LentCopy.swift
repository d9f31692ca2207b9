#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A copy of a store that other nodes read, piece by piece. It has no name any more: nothing is left of it when the process ends.
package final class LentCopy: Sendable {
  /// Its bytes.
  package let count: Int
  private let descriptor: Int32

  /// What a copy of this store is called while it is made.
  package static func name(of store: String) -> String { store + ".lent" }

  /// About how many bytes a copy of this store has at most.
  package static func size(of store: String) -> Int {
    ["", "-wal"].reduce(0) { $0 + ((try? StorePath.size(of: store + $1)) ?? 0) }
  }

  /// Removes what an earlier process has left.
  package static func clear(beside store: String) { unlink(name(of: store)) }

  /// Takes the copy that was made beside this store; nil if there is none.
  package init?(beside store: String) {
    descriptor = open(LentCopy.name(of: store), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    LentCopy.clear(beside: store)
    var about = stat()
    guard descriptor >= 0, fstat(descriptor, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_size > 0 else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    count = Int(about.st_size)
  }

  deinit { close(descriptor) }

  /// So many bytes from there on; fewer at the end; none if the disk does not give them. It may wait for the disk.
  package func bytes(at offset: Int, upTo most: Int) -> [UInt8] {
    guard offset >= 0, offset < count else { return [] }
    return [UInt8](unsafeUninitializedCapacity: min(most, count - offset)) { piece, written in
      written = max(0, pread(descriptor, piece.baseAddress, piece.count, off_t(offset)))
    }
  }
}
