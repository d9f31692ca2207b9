import Foundation

/// The names of files that are made in a folder from now on, also of those that go again.
final class NamesMade {
  private let folder: String
  #if os(Linux)
    private let descriptor = inotify_init1(Int32(IN_NONBLOCK))
  #endif

  init(in folder: String) throws {
    self.folder = folder
    #if os(Linux)
      guard inotify_add_watch(descriptor, folder, UInt32(IN_CREATE)) >= 0 else { throw Place.Missing() }
    #endif
  }

  /// Where the system does not tell, those that are there.
  func names() throws -> [String] {
    #if os(Linux)
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      var names: [String] = []
      while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
        var at = 0
        while at < count {
          // struct inotify_event: four numbers of 32 bits, the last of them the length of the name behind them.
          let length = Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self) })
          names.append(String(decoding: bytes[at + 16..<at + 16 + length].prefix { $0 != 0 }, as: UTF8.self))
          at += 16 + length
        }
      }
      return names
    #else
      return try FileManager.default.contentsOfDirectory(atPath: folder)
    #endif
  }

  deinit {
    #if os(Linux)
      close(descriptor)
    #endif
  }
}
