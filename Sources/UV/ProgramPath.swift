internal import CUV

/// Where the program of this process is.
public enum ProgramPath {
  /// Its path; nil if the system does not say it.
  public static var current: String? {
    var size = 4096
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { path in
      uv_exepath(path.baseAddress, &size) == 0 ? path.baseAddress.map { String(cString: $0) } : nil
    }
  }
}
