#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The process that has a socket at which it listens, as far as the system tells: Linux does, of processes that this
/// user may look at.
struct SocketOwner: CustomStringConvertible {
  let name: String
  let process: Int

  var isThisProcess: Bool { process == Int(getpid()) }

  /// `baton (process 4711)`.
  var description: String { "\(LineLog.quoted(name)) (process \(process))" }

  /// Who listens on a port of this host; nil if that cannot be known.
  static func ofPort(_ port: UInt16, on host: String) -> SocketOwner? {
    let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeners(in: $0, port: port) }
    // With one address of several that listens on the port, it is that one, or the one for all addresses.
    let fitting = sockets.filter { $0.isAll || $0.address == hex(host) }
    return owner(of: (fitting.isEmpty ? sockets : fitting).map(\.inode))
  }

  /// Who listens at the path of a Unix socket; nil if that cannot be known.
  static func ofSocket(_ path: String) -> SocketOwner? {
    let lines = SystemFile.text("/proc/net/unix", atMost: most)?.split(separator: "\n") ?? []
    return owner(
      of: lines.compactMap { line in
        let fields = line.split(separator: " ", maxSplits: 7)
        return fields.count == 8 && fields[7] == path ? fields[6] : nil
      })
  }

  /// The bytes of a list of sockets that are read. Those that listen come first.
  private static let most = 1 << 20

  private struct ListeningAddress {
    /// As the system writes it.
    let address: Substring
    let inode: Substring
    var isAll: Bool { address.allSatisfy { $0 == "0" } }
  }

  /// A line is `0: 0100007F:5952 00000000:0000 0A …`, its tenth field the inode; `0A` means that it listens.
  private static func listeners(in path: String, port: UInt16) -> [ListeningAddress] {
    let lines = SystemFile.text(path, atMost: most)?.split(separator: "\n").dropFirst() ?? []
    return lines.compactMap { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, fields[3] == "0A", let colon = fields[1].lastIndex(of: ":"),
        UInt16(fields[1][fields[1].index(after: colon)...], radix: 16) == port
      else { return nil }
      return ListeningAddress(address: fields[1][..<colon], inode: fields[9])
    }
  }

  /// An IPv4 address as the system writes it, its last byte first; nil for anything else.
  private static func hex(_ host: String) -> Substring? {
    let bytes = host.split(separator: ".").compactMap { UInt8($0) }
    guard bytes.count == 4 else { return nil }
    return bytes.reversed().reduce(into: "") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }

  #if os(Linux)
    private static func owner(of inodes: [Substring]) -> SocketOwner? {
      let wanted = inodes.map { "socket:[\($0)]" }
      guard !wanted.isEmpty else { return nil }
      for process in names(in: "/proc").compactMap({ Int($0) }) {
        let files = "/proc/\(process)/fd"
        guard names(in: files).contains(where: { target(of: "\(files)/\($0)").map(wanted.contains) ?? false }) else {
          continue
        }
        let name = SystemFile.text("/proc/\(process)/comm")?.split(separator: "\n").first
        return SocketOwner(name: name.map(String.init) ?? "?", process: process)
      }
      return nil
    }

    /// The names in a directory; none if it cannot be read.
    private static func names(in path: String) -> [String] {
      guard let directory = opendir(path) else { return [] }
      defer { closedir(directory) }
      var names: [String] = []
      while let entry = readdir(directory) {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        names.append(String(cString: name))
      }
      return names
    }

    /// Where a symbolic link points to.
    private static func target(of path: String) -> String? {
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
        guard let start = buffer.baseAddress else { return nil }
        let count = readlink(path, start, buffer.count - 1)
        guard count >= 0 else { return nil }
        buffer[count] = 0
        return String(cString: start)
      }
    }
  #else
    private static func owner(of inodes: [Substring]) -> SocketOwner? { nil }
  #endif
}
