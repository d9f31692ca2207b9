internal import CUV

/// The machine's processor cores.
public enum Processor {
  /// How many of them this process may use.
  public static var count: Int { Int(uv_available_parallelism()) }

  /// Lets a process, 0 for this one, run on one core only, with its later threads. False if that is not possible: there
  /// is no such core, this process may not use it, or the system is not Linux.
  public static func pin(process: Int32, toCore core: Int) -> Bool {
    #if os(Linux)
      var cores = cpu_set_t()
      let fits = withUnsafeMutableBytes(of: &cores) { bytes in
        guard core >= 0, core < bytes.count * 8 else { return false }
        let word = core / UInt.bitWidth * MemoryLayout<UInt>.size
        bytes.storeBytes(of: 1 << UInt(core % UInt.bitWidth), toByteOffset: word, as: UInt.self)
        return true
      }
      return fits && sched_setaffinity(process, MemoryLayout<cpu_set_t>.size, &cores) == 0
    #else
      return false
    #endif
  }
}
