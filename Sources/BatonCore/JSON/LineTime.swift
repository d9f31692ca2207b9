/// Times as they stand in lines: in UTC, with milliseconds. `2026-12-01T03:29:01.123Z`.
package struct LineTime {
  /// The second that was spelled last, and its text up to the dot.
  private var second = Int64.min
  private var known = ""

  package init() {}

  /// The text of a time in milliseconds since 1970.
  package mutating func text(_ wall: Int64) -> String {
    let (second, rest) = (wall.quotientFloor(1000), Int(wall - wall.quotientFloor(1000) * 1000))
    if second != self.second {
      self.second = second
      known = Self.spelled(second)
    }
    return "\(known).\(Self.padded(rest, 3))Z"
  }

  private static func spelled(_ second: Int64) -> String {
    let day = second.quotientFloor(86_400)
    let rest = Int(second - day * 86_400)
    // The civil calendar from days, as Howard Hinnant gives it.
    let shifted = day + 719_468
    let era = shifted.quotientFloor(146_097)
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    let dayOfMonth = Int(ofYear - (153 * shiftedMonth + 2) / 5 + 1)
    let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T" + padded(rest / 3600, 2) + ":"
      + padded(rest / 60 % 60, 2) + ":" + padded(rest % 60, 2)
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

extension Int64 {
  fileprivate func quotientFloor(_ divisor: Int64) -> Int64 {
    self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
  }
}
