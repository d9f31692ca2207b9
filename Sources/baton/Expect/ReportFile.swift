import ArgumentParser

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A report for continuous integration.
enum ReportFile {
  /// Writes the report into a file. What stood there before is gone.
  static func keep(_ report: String, in path: String) throws {
    guard let file = fopen(path, "w") else { throw cannotWrite(path) }
    var report = report
    let isWritten = report.withUTF8 { fwrite($0.baseAddress, 1, $0.count, file) == $0.count }
    let reason = errno
    guard fclose(file) == 0, isWritten else {
      if !isWritten { errno = reason }
      throw cannotWrite(path)
    }
  }

  private static func cannotWrite(_ path: String) -> ExitCode {
    talk("baton: the report cannot be written into \(path): \(String(cString: strerror(errno)))")
    return .failure
  }
}
