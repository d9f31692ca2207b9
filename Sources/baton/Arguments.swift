#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The words of the command line, the program's name first.
///
/// Swift looks for them on the stack, beside the environment. A library that is loaded in front (LD_PRELOAD) and changes the
/// environment before that moves it away, as libfaketime does when Swift asks for its first file: then Swift knows no words.
enum Arguments {
  /// As they came. They may be no text.
  static let bytes: [[UInt8]] = {
    let known = (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }
    // Linux has this file; elsewhere Swift asks the system.
    guard known.isEmpty, let line = try? contents(ofFile: "/proc/self/cmdline") else {
      return known.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
    return line.split(separator: 0, omittingEmptySubsequences: false).dropLast().map(Array.init)
  }()

  /// As text. What is none is replaced.
  static let all = bytes.map { String(decoding: $0, as: UTF8.self) }
}
