import ArgumentParser
import BatonCore
import BatonRecord

/// Times that a person names: a day, a time of the record, or how long ago.
enum RecordTime {
  /// As lines of a record spell it, so that texts are compared. `2026-12-01`, `2026-12-01T03:29`, `24h`. Throws a
  /// `ValidationError` if it is none.
  static func parsed(_ text: String, _ option: String) throws -> String {
    let pattern = Array("dddd-dd-ddTdd:dd:dd.dddZ".utf8)
    let given = Array(text.utf8)
    let fits =
      given.count >= 10 && given.count <= pattern.count
      && zip(given, pattern).allSatisfy { byte, wanted in
        wanted == UInt8(ascii: "d") ? UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte : byte == wanted
      }
    if fits { return text }
    guard let ago = try? SpokenTime.milliseconds(text, days: 36_500) else {
      throw ValidationError(
        "\(option): \"\(text)\" is no time; write a day (2026-12-01), a time in UTC (2026-12-01T03:29), or how long ago (24h, 7d)"
      )
    }
    var time = LineTime()
    return time.text(RecordClock.wall - Int64(ago))
  }
}
