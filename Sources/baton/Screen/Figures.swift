/// Numbers for people, in few columns.
enum Figures {
  /// `1234567` as `1,234,567`.
  static func count(_ number: Int) -> String {
    var grouped = ""
    let digits = String(number.magnitude)
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { grouped.append(",") }
      grouped.append(digit)
    }
    return (number < 0 ? "-" : "") + grouped
  }

  /// A rate per second, with one decimal if it is small.
  static func rate(_ perSecond: Double?) -> String {
    guard let perSecond else { return "" }
    if perSecond == 0 { return "0" }
    return perSecond < 10 ? tenths(perSecond) : Figures.count(Int(exactly: perSecond.rounded()) ?? .max)
  }

  /// A time that was measured in microseconds: `153 µs`, `2.1 ms`, `1.2 s`.
  static func microseconds(_ time: Int?) -> String {
    guard let time else { return "" }
    if time < 1000 { return "\(time) \(Glyphs.current.microseconds)" }
    let (value, unit) = time < 1_000_000 ? (Double(time) / 1e3, "ms") : (Double(time) / 1e6, "s")
    return (value < 10 ? tenths(value) : count(Int(value))) + " \(unit)"
  }

  /// A time that was measured in milliseconds: `0 ms`, `1.2 s`, `5 min`, `2 h 05 min`, `3 d 4 h`.
  static func milliseconds(_ time: Int?) -> String {
    guard let time else { return "" }
    if time < 1000 { return "\(time) ms" }
    if time < 60_000 { return microseconds(time * 1000) }
    let minutes = time / 60_000
    if minutes < 60 { return "\(minutes) min" }
    let hours = minutes / 60
    if hours < 24 { return "\(hours) h \(minutes % 60 < 10 ? "0" : "")\(minutes % 60) min" }
    return "\(count(hours / 24)) d \(hours % 24) h"
  }

  /// Bytes: `512 B`, `1.2 KiB`, `34 MiB`.
  static func bytes(_ bytes: Int) -> String {
    if bytes < 1024 { return "\(bytes) B" }
    var value = Double(bytes)
    var units = ["KiB", "MiB", "GiB", "TiB"][...]
    value /= 1024
    while value >= 1024, units.count > 1 {
      value /= 1024
      units = units.dropFirst()
    }
    return (value < 10 ? tenths(value) : count(Int(value))) + " " + (units.first ?? "")
  }

  /// A rank as it is spelled in JSON: whole numbers without a point.
  static func rank(_ rank: Double) -> String { Int(exactly: rank).map { "\($0)" } ?? "\(rank)" }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int(value * 10)
    return "\(tenths / 10).\(tenths % 10)"
  }
}
