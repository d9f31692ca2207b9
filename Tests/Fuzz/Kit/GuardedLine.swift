#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Memory that ends with the line: behind the line feed begins a page that nothing may touch. Or it begins with the line,
/// behind such a page, and has quotes and brackets behind the line. Code that reads one byte too far crashes, with or without
/// a sanitizer.
package final class GuardedLine {
  private let pageSize: Int
  private var memory = UnsafeMutableRawPointer(bitPattern: 0)
  private var capacity = 0

  package init() {
    pageSize = Int(getpagesize())
  }

  deinit {
    release()
  }

  /// Calls `body` with a copy of `bytes`. After it come a line feed and the guarded page; or other bytes, if a guarded page
  /// is before it.
  package func with<Result>(
    _ bytes: [UInt8], beginsGuarded: Bool = false, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let end = reserve(bytes.count + 1)
    let start = end - (beginsGuarded ? capacity : bytes.count + 1)
    if beginsGuarded {
      let behind = UnsafeMutableRawBufferPointer(start: start + bytes.count, count: min(160, end - start - bytes.count))
      for place in behind.indices { behind[place] = Self.behind[place % Self.behind.count] }
    }
    bytes.withUnsafeBytes { source in
      if let base = source.baseAddress { start.copyMemory(from: base, byteCount: source.count) }
    }
    start.storeBytes(of: UInt8(ascii: "\n"), toByteOffset: bytes.count, as: UInt8.self)
    return try body(UnsafeRawBufferPointer(start: start, count: bytes.count))
  }

  private static let behind = Array("\"}]\\,[{x".utf8)

  /// Returns the address of the guarded page, with room for at least `count` bytes before it.
  private func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if let memory, count <= capacity { return memory + capacity }
    release()
    let wanted = (count + pageSize - 1) / pageSize * pageSize
    let mapped = mmap(nil, wanted + 2 * pageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let mapped, mapped != MAP_FAILED else { fatalError("no memory for a line of \(count) bytes") }
    for page in [mapped, mapped + pageSize + wanted] {
      guard mprotect(page, pageSize, PROT_NONE) == 0 else { fatalError("cannot guard a page") }
    }
    memory = mapped + pageSize
    capacity = wanted
    return mapped + pageSize + wanted
  }

  private func release() {
    if let memory { munmap(memory - pageSize, capacity + 2 * pageSize) }
    memory = nil
  }
}
