#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The descriptors 0, 1 and 2, which a program may be started without.
enum StandardDescriptors {
  /// Sees that they are taken. What is opened next would have their numbers otherwise, the file of a store for instance,
  /// and what is printed would be written into it. What stands in for them can be used as little as a closed one.
  static func take(orEndWith code: Int32) {
    for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 {
      // The system gives the lowest number that is free.
      let mode = number == 0 ? O_WRONLY : O_RDONLY
      if open("/dev/null", mode) != number, open("/", O_RDONLY) != number { exit(code) }
    }
  }
}
