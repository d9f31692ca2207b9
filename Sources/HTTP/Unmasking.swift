/// The one place of the module that reads and writes memory without checks of each access.
enum Unmasking {
  /// Copies `source` without its mask to the start of `room`, which is at least as long. Eight bytes at a time:
  /// byte by byte, it would cost more than all else that is done with a message.
  ///
  /// - Parameter mask: the mask of the first four bytes, the first one lowest.
  /// - Returns: whether all bytes are ASCII.
  @inline(__always)
  static func copy(_ source: UnsafeRawBufferPointer, mask: UInt32, to room: UnsafeMutableRawBufferPointer) -> Bool {
    precondition(source.count <= room.count)
    guard let from = source.baseAddress, let to = room.baseAddress else { return true }
    let key = (UInt64(mask) << 32 | UInt64(mask)).littleEndian
    var (at, all): (Int, UInt64) = (0, 0)
    while at + 8 <= source.count {
      let word = from.loadUnaligned(fromByteOffset: at, as: UInt64.self) ^ key
      to.storeBytes(of: word, toByteOffset: at, as: UInt64.self)
      all |= word
      at += 8
    }
    var rest = mask
    while at < source.count {
      let byte = from.load(fromByteOffset: at, as: UInt8.self) ^ UInt8(truncatingIfNeeded: rest)
      to.storeBytes(of: byte, toByteOffset: at, as: UInt8.self)
      all |= UInt64(byte)
      rest = rest >> 8 | rest << 24
      at += 1
    }
    return all & 0x8080_8080_8080_8080 == 0
  }
}
