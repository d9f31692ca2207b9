import ArgumentParser

/// A time on the command line: `250ms`, `5s`, `2m` or `1h`; a bare number is milliseconds, as on the wire.
struct TimeArgument: ExpressibleByArgument, Sendable {
  let duration: Duration

  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && $0.isNumber }
    let units = ["": 1, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
    guard let number = Int(digits), let unit = units[String(argument.dropFirst(digits.count))],
      case let (milliseconds, isTooMuch) = number.multipliedReportingOverflow(by: unit), !isTooMuch
    else { return nil }
    duration = .milliseconds(milliseconds)
  }
}
