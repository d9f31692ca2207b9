internal import BatonCore

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Reads the lines of a file, one after the other, while somebody may write behind them. What cannot be read is an error, and
/// never the end: who takes it for that destroys what is left, or finds nothing where there is something.
final class LineFile {
  private let path: String
  private let descriptor: Int32
  private let memory: UnsafeMutableRawBufferPointer
  private var (start, end) = (0, 0)
  private var isAtEnd = false
  /// The number of the line that was read last, from 1.
  private(set) var number = 0

  /// The longest line: a line of the server, each byte of which may be escaped, with what links made of it.
  private static let longest = 64 << 20

  /// Nil if there is no such file.
  init?(_ path: String) throws(RecordError) {
    self.path = path
    // It would wait for who writes into a pipe.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var facts = stat()
    guard descriptor >= 0 else {
      if errno == ENOENT, lstat(path, &facts) != 0 { return nil }
      throw RecordError("\(path) cannot be read: \(SystemWords.last)")
    }
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw RecordError("\(path) cannot be read: it is no regular file")
    }
    memory = .allocate(byteCount: 1 << 20, alignment: 16)
  }

  deinit {
    close(descriptor)
    memory.deallocate()
    larger?.deallocate()
  }

  private var larger: UnsafeMutableRawBufferPointer?
  private var place: UnsafeMutableRawBufferPointer { larger ?? memory }

  /// Gives the next line, without its LF, which follows it in memory; nil at the end, where bytes without an LF may be left.
  func next<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(RecordError) -> Result? {
    var looked = start
    while true {
      if let feed = lineFeed(from: looked) {
        let line = UnsafeRawBufferPointer(rebasing: place[start..<feed])
        start = feed + 1
        number += 1
        return body(line)
      }
      looked = end
      guard try fill(&looked) else { return nil }
    }
  }

  /// The bytes behind the last LF, once all lines were read.
  var rest: Int { end - start }

  private func lineFeed(from: Int) -> Int? {
    guard from < end, let base = place.baseAddress, let found = memchr(base + from, 10, end - from) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  private func fill(_ looked: inout Int) throws(RecordError) -> Bool {
    if isAtEnd { return false }
    if start > 0 {
      if let base = place.baseAddress { memmove(base, base + start, end - start) }
      (looked, end, start) = (looked - start, end - start, 0)
    }
    if end == place.count {
      guard place.count < Self.longest else {
        throw RecordError("\(path) cannot be read: line \(number + 1) has more than \(Self.longest) bytes")
      }
      let grown = UnsafeMutableRawBufferPointer.allocate(byteCount: place.count * 4, alignment: 16)
      grown.copyMemory(from: UnsafeRawBufferPointer(place))
      larger?.deallocate()
      larger = grown
    }
    var count = 0
    repeat {
      count = place.baseAddress.map { read(descriptor, $0 + end, place.count - end) } ?? 0
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw RecordError("\(path) cannot be read: \(SystemWords.last)") }
    guard count > 0 else {
      isAtEnd = true
      return false
    }
    end += count
    return true
  }
}

/// The last whole line of a file of the chain.
struct LastLine {
  let n: Int
  let hash: [UInt8]

  /// Nil if there is none, or it is no line.
  static func read(_ path: String) throws(RecordError) -> LastLine? {
    guard let file = try LineFile(path) else { return nil }
    var last: LastLine?
    while let line = try file.next({ RecordLine($0, isChain: true).map { LastLine(n: $0.n, hash: $0.hash) } }) {
      last = line
    }
    return last
  }
}
