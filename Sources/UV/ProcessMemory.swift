internal import CUV

/// What the process takes of the machine's memory.
public enum ProcessMemory {
  /// Bytes that are in RAM; 0 if the system does not tell.
  public static var resident: Int {
    var bytes = 0
    return uv_resident_set_memory(&bytes) == 0 ? bytes : 0
  }

  /// Bytes of the machine's memory in all; nil if the system does not tell.
  public static var machine: Int? {
    let bytes = Int(clamping: uv_get_total_memory())
    return bytes > 0 ? bytes : nil
  }
}
