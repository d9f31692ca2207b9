internal import COpenSSL

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Why encryption does not go on; the description is one line that says what is wrong.
public struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line.
  public let description: String
  /// The path of the file that is wrong, if it is not the certificate's.
  public let file: String?

  /// An error in these words.
  public init(_ description: String, in file: String? = nil) {
    self.description = description
    self.file = file
  }

  /// The first of OpenSSL's errors in this thread's queue, behind these words. Empties the queue.
  static func latest(_ words: String, in file: String? = nil) -> TLSError {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return TLSError(words, in: file) }
    // An error of the system has its number in place of a reason.
    let system = code & 1 << 31 != 0 ? strerror(Int32(truncatingIfNeeded: code & 0x7FFF_FFFF)) : nil
    let reason =
      ERR_reason_error_string(code).map { String(cString: $0) } ?? system.map { String(cString: $0) } ?? "error \(code)"
    return TLSError("\(words): \(reason)", in: file)
  }
}
