internal import CUV

/// The memory of this process that is in RAM.
public enum ResidentMemory {
  /// Bytes; 0 if the system does not tell.
  public static var bytes: Int {
    var bytes = 0
    return uv_resident_set_memory(&bytes) == 0 ? bytes : 0
  }
}
