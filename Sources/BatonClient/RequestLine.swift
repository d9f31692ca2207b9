internal import BatonCore

/// Builds one line to the server.
struct RequestLine {
  private(set) var bytes: [UInt8]

  /// The members of an object in a line: it has no op.
  init() { bytes = [] }

  init(_ op: String) { bytes = Array("{\"op\":\"\(op)\"".utf8) }

  init(_ op: String, _ members: [(String, Payload)]) {
    self.init(op)
    for (name, value) in members { add(name, value) }
  }

  mutating func add(_ name: String, text: String?) {
    if let text { add(name, raw: JSONText.quoted(text)) }
  }

  mutating func add(_ name: String, _ number: Int?) {
    if let number { add(name, raw: Array(String(number).utf8)) }
  }

  mutating func add(_ name: String, _ flag: Bool, unless normal: Bool = false) {
    if flag != normal { add(name, raw: Array(flag ? "true".utf8 : "false".utf8)) }
  }

  mutating func add(_ name: String, given flag: Bool?) {
    if let flag { add(name, raw: Array(flag ? "true".utf8 : "false".utf8)) }
  }

  mutating func add(_ name: String, milliseconds duration: Duration?) {
    if let duration { add(name, duration.milliseconds) }
  }

  mutating func add(_ name: String, _ payload: Payload?) {
    if let payload { add(name, raw: payload.bytes) }
  }

  /// A value, as JSON. Throws what its encoding throws.
  mutating func add(_ name: String, value: (some Encodable)?) throws {
    if let value { add(name, try Payload(value)) }
  }

  mutating func add(_ name: String, texts: [String]) {
    add(
      name,
      raw: [UInt8(ascii: "[")] + texts.map(JSONText.quoted).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    )
  }

  /// An object, unless it is empty.
  mutating func add(_ name: String, _ object: RequestLine) {
    if !object.bytes.isEmpty { add(name, raw: [UInt8(ascii: "{")] + object.bytes + [UInt8(ascii: "}")]) }
  }

  private mutating func add(_ name: String, raw: [UInt8]) {
    bytes += "\(bytes.isEmpty ? "" : ",")\"\(name)\":".utf8
    bytes += raw
  }

  /// The line, ended.
  var ended: [UInt8] { bytes + "}\n".utf8 }
}

extension Duration {
  /// Throws `bad_value` where the server would refuse it as a time, whatever its settings are: it takes from `least`
  /// milliseconds to `most`, a day for nearly all times.
  func checkTime(as what: String, least: Int = 1, most: Duration = .seconds(86_400)) throws(BatonError) {
    guard !(least...most.milliseconds).contains(milliseconds) else { return }
    let days = most.milliseconds / 86_400_000
    let longest = days == 0 ? "\(most)" : days == 1 ? "one day" : "\(days) days"
    throw .refused(
      code: "bad_value",
      message:
        "\(what): \(self) is not from \(Duration.milliseconds(least)) to \(longest)")
  }

  /// Whole milliseconds, rounded up, as the contract counts times.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int(clamping: seconds).multipliedReportingOverflow(by: 1000).partialValue + Int(clamping: part)
  }
}
