/// Writes Prometheus's text format 0.0.4. It knows names, labels and numbers, and no router.
struct MetricsText {
  /// What it is to HTTP.
  static let type = "text/plain; version=0.0.4; charset=utf-8"
  /// What was written.
  private(set) var bytes: [UInt8] = []
  /// `chain="…",handler="…"` of the samples that come next.
  private var labels: [UInt8] = []

  /// Begins a family: what it is, and its type.
  mutating func begin(_ family: MetricsFamily) {
    add("# HELP \(family.rawValue) \(family.help)\n# TYPE \(family.rawValue) \(family.type)\n")
  }

  /// A family of one sample.
  mutating func alone(_ family: MetricsFamily, _ value: String) {
    begin(family)
    add("\(family.rawValue) \(value)\n")
  }

  /// The labels of the samples that come next.
  mutating func label(chain: some Collection<UInt8>, handler: some Collection<UInt8>) {
    labels.removeAll(keepingCapacity: true)
    labels += "chain=\"".utf8
    MetricsText.escape(chain, into: &labels)
    labels += "\",handler=\"".utf8
    MetricsText.escape(handler, into: &labels)
    labels.append(UInt8(ascii: "\""))
  }

  /// A family with one sample for each chain.
  mutating func chains(_ family: MetricsFamily, _ values: [(chain: [UInt8], value: Int)]) {
    begin(family)
    for (chain, value) in values {
      labels.removeAll(keepingCapacity: true)
      labels += "chain=\"".utf8
      MetricsText.escape(chain, into: &labels)
      labels.append(UInt8(ascii: "\""))
      sample(family.rawValue, "\(value)")
    }
  }

  /// A sample with these labels, and one more if `more` has its name and its value.
  mutating func sample(_ name: String, _ value: String, _ more: (name: String, value: String)? = nil) {
    add(name)
    add("{")
    bytes += labels
    if let more { add(",\(more.name)=\"\(more.value)\"") }
    add("} \(value)\n")
  }

  /// A histogram with these labels: how many times are in each bucket, where each but the last ends, and their sum.
  mutating func histogram(_ name: String, _ times: [UInt64], ends: [String], microseconds: UInt64) {
    var count: UInt64 = 0
    for (number, more) in times.enumerated() {
      count &+= more
      sample("\(name)_bucket", "\(count)", ("le", number < ends.count ? ends[number] : "+Inf"))
    }
    sample("\(name)_sum", MetricsText.seconds(microseconds))
    sample("\(name)_count", "\(count)")
  }

  /// Seconds with as many digits as the microseconds need.
  static func seconds(_ microseconds: UInt64) -> String {
    let (whole, part) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    guard part > 0 else { return "\(whole)" }
    var digits = String(part + 1_000_000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)"
  }

  /// The value of a label: `\`, `"` and LF are escaped.
  private static func escape(_ text: some Collection<UInt8>, into bytes: inout [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      default: bytes.append(byte)
      }
    }
  }

  private mutating func add(_ text: String) { bytes += text.utf8 }
}
