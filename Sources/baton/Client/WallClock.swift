#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A moment of the day, for lines with a time.
struct WallClock {
  private let moment: timespec

  /// This moment.
  static var now: WallClock {
    var moment = timespec()
    clock_gettime(CLOCK_REALTIME, &moment)
    return WallClock(moment: moment)
  }

  /// Whole seconds since 1970.
  var seconds: Int { moment.tv_sec }

  /// Milliseconds since 1970.
  var milliseconds: Int64 { Int64(moment.tv_sec) * 1000 + Int64(moment.tv_nsec / 1_000_000) }

  /// The local time: `22:35:30.123`.
  var local: String {
    var (seconds, parts) = (moment.tv_sec, tm())
    localtime_r(&seconds, &parts)
    return time(parts)
  }

  /// The moment for programs: `2026-11-21T22:35:30.123Z`.
  var utc: String {
    var (seconds, parts) = (moment.tv_sec, tm())
    gmtime_r(&seconds, &parts)
    let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map { digits($0, 2) }
    return "\(date.joined(separator: "-"))T\(time(parts))Z"
  }

  private func time(_ parts: tm) -> String {
    [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }.joined(separator: ":") + "."
      + digits(Int(moment.tv_nsec / 1_000_000), 3)
  }

  private func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(count - text.count, 0)) + text
  }
}
