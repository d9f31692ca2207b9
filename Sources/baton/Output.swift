#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Prints one line to standard output, at once: whoever started the program may be waiting for it.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
