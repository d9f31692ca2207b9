import ArgumentParser
import BatonCore

/// A time as a person writes it: `2`, `0.5` and `2s` are seconds, `500ms` is less, `5m`, `1h` and `2d` are more.
enum SpokenTime {
  /// The time in whole milliseconds. Throws a `ValidationError` if it is not a time, or more than so many days.
  static func milliseconds(_ text: String, days: Int = 1) throws -> Int {
    let units = [("ms", 1.0), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
    let unit = units.first { text.hasSuffix($0.0) }
    let number = unit.map { text.dropLast($0.0.count) } ?? text[...]
    guard let value = Double(number), number.allSatisfy({ $0.isNumber || $0 == "." }),
      let time = Int(exactly: (value * (unit?.1 ?? 1000)).rounded()), (0...days * 86_400_000).contains(time)
    else {
      let most = days == 1 ? "24h" : "\(days)d"
      throw ValidationError(
        "\"\(text)\" is not a time; write seconds, such as 2 or 0.5, or 500ms, 5m, 1h, up to \(most)")
    }
    return time
  }

  /// The time that something may take: the same, but at least 1 ms.
  static func allowance(_ text: String) throws -> Int {
    let time = try milliseconds(text)
    if time < 1 { throw ValidationError("the least time is 1ms") }
    return time
  }

  /// The same for times of durable messages: up to a week.
  static func ofDurable(_ text: String) throws -> Duration {
    let time = try milliseconds(text, days: 7)
    if time < 1 { throw ValidationError("the least time is 1ms") }
    return .milliseconds(time)
  }

  /// The time before the second attempt: up to ten minutes.
  static func ofRetry(_ text: String) throws -> Duration {
    let time = try allowance(text)
    let most = MemberRange.retryMilliseconds.upperBound
    if time > most { throw ValidationError("the longest time before the second attempt is \(most / 60_000)m") }
    return .milliseconds(time)
  }

  /// The same as a duration.
  static func duration(_ text: String) throws -> Duration { .milliseconds(try milliseconds(text)) }
}

extension Duration {
  /// For people: `3.1 ms`, `1.2 s`.
  var words: String {
    let milliseconds = self / .milliseconds(1)
    return milliseconds < 1000 ? "\(tenths(milliseconds)) ms" : "\(tenths(milliseconds / 1000)) s"
  }
}

private func tenths(_ number: Double) -> String {
  let tenths = Int((number * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}
