import BatonCore

/// What a replay prints, step by step; silent otherwise.
struct Log {
  let isOn: Bool

  func note(_ now: Instant, _ text: @autoclosure () -> String) {
    guard isOn else { return }
    let digits = String(now.microseconds % 1000 + 1000).dropFirst()
    print("\(now.microseconds / 1000).\(digits) ms  \(text())")
  }
}

extension String {
  /// The text on one line that is not too long.
  var logged: String {
    let line = split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "␊")
    return line.count > 400 ? "\(line.prefix(400))… (\(line.utf8.count) bytes)" : line
  }
}
