#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What the system says about an error of one of its calls.
func systemWords(_ code: Int32) -> String { String(cString: strerror(code)) }
