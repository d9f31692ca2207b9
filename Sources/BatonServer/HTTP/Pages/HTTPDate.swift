/// The `Date` of answers (RFC 9110, section 5.6.7). It is written once a second, however many answers there are.
struct HTTPDate: Sendable {
  private var second = Int64.min
  private var text = ""

  /// The date of a second since 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  mutating func text(at second: Int64) -> String {
    if second != self.second {
      self.second = second
      text = HTTPDate.spell(second)
    }
    return text
  }

  /// Spells a second since 1970. Seconds outside of the years 1970 to 9999 count as the nearest one within.
  static func spell(_ second: Int64) -> String {
    let second = Int(min(max(second, 0), 253_402_300_799))
    let (days, time) = second.quotientAndRemainder(dividingBy: 86_400)
    // Years begin in March here, so that the day of a leap year is the last one. There are 146,097 days in 400 years.
    let shifted = days + 719_468
    let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(weekdays[days % 7]), \(two(day)) \(months[month - 1]) \(year) "
      + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
  }

  /// The first of January 1970 was a Thursday.
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
