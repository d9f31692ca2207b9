public import BatonCore
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How many bytes of memory the process may still take, by each thing that limits it; nil where nothing does.
public struct MemoryRoom: Sendable, Equatable {
  /// What the control group leaves, for instance that of a container.
  public var controlGroup: Int?
  /// What the limit of the address space leaves (`ulimit -v`).
  public var addressSpace: Int?
  /// The machine's memory. What other programs take of it now is not subtracted: it changes.
  public var machine: Int?

  /// Nothing limits it but what is given.
  public init(controlGroup: Int? = nil, addressSpace: Int? = nil, machine: Int? = nil) {
    self.controlGroup = controlGroup
    self.addressSpace = addressSpace
    self.machine = machine
  }

  /// The room that there is now.
  public static var current: MemoryRoom {
    MemoryRoom(
      controlGroup: ControlGroup().memoryLeft, addressSpace: addressSpaceLeft, machine: ProcessMemory.machine)
  }

  /// The smallest of them, and what it is.
  var least: (bytes: Int, short: ShortMemory)? {
    let all: [(bytes: Int?, short: ShortMemory)] = [
      (controlGroup, .cgroup), (addressSpace, .addressSpace), (machine, .memory),
    ]
    return all.compactMap { one in one.bytes.map { ($0, one.short) } }.min { $0.bytes < $1.bytes }
  }

  /// What the limit of the address space leaves now; nil if there is no limit, or if the system does not say how much is
  /// in use.
  static var addressSpaceLeft: Int? {
    #if os(Linux)
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < 1 << 60,
        let pages = SystemFile.number("/proc/self/statm")
      else { return nil }
      return max(Int(limit.rlim_cur) - pages * Int(getpagesize()), 0)
    #else
      return nil
    #endif
  }
}

extension MemoryRoom {
  /// Lowers the limits on what all peers take together to their shares of half of the room. The other half is for what
  /// these limits do not count: connections, links, and memory between pieces in use.
  ///
  /// Limits in `given` stay as they are, and no limit is raised. Each of the others has a share as large as its part of
  /// their sum, but at least a thousandth of its value: a server that can take nothing in is of no use. If something
  /// was lowered, `settings` tells why afterwards.
  public func lower(_ settings: inout Settings, except given: Set<String> = []) {
    guard let (left, short) = least else { return }
    let chosen = Settings.totals.filter { !given.contains($0.name) }
    let wanted = chosen.reduce(0.0) { $0 + Double(settings[keyPath: $1.path]) * Double($1.bytesEach) }
    let part = Double(left / 2) / wanted
    guard part < 1 else { return }
    for total in chosen {
      let value = settings[keyPath: total.path]
      settings[keyPath: total.path] = max(Int(Double(value) * part), value / 1024, 1)
    }
    settings.process.limitsLoweredBy = short
  }
}
