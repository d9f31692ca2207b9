/// How a message can end at a link: with a verdict, or with the cause of a failure. They are told in this order.
enum Tally: Int, CaseIterable {
  case handled, continued, reject, failed, timeout, disconnect, overload, breaker

  @inline(__always)
  init(_ verdict: Op) {
    switch verdict {
    case .handled: self = .handled
    case .reject: self = .reject
    case .failed: self = .failed
    default: self = .continued
    }
  }

  @inline(__always)
  init(_ cause: Cause) {
    switch cause {
    case .timeout: self = .timeout
    case .disconnect: self = .disconnect
    case .failed: self = .failed
    case .overload: self = .overload
    case .breaker: self = .breaker
    }
  }

  /// The word on the wire.
  var spelling: StaticString {
    switch self {
    case .handled: "handled"
    case .continued: "continue"
    case .reject: "reject"
    case .failed: Cause.failed.spelling
    case .timeout: Cause.timeout.spelling
    case .disconnect: Cause.disconnect.spelling
    case .overload: Cause.overload.spelling
    case .breaker: Cause.breaker.spelling
    }
  }

  /// Whether the link failed the message.
  @inline(__always)
  var isFailure: Bool { rawValue >= Tally.failed.rawValue }
}

/// A number for each of them.
struct Tallies<Number: FixedWidthInteger & BitwiseCopyable> {
  private var numbers: (Number, Number, Number, Number, Number, Number, Number, Number) = (0, 0, 0, 0, 0, 0, 0, 0)

  init() {}

  /// What was counted from `earlier` to `later`.
  init(from earlier: Tallies<Int>, to later: Tallies<Int>) {
    for tally in Tally.allCases { add(Number(clamping: later[tally] - earlier[tally]), to: tally) }
  }

  subscript(tally: Tally) -> Number {
    withUnsafeBytes(of: numbers) {
      $0.load(fromByteOffset: tally.rawValue &* MemoryLayout<Number>.stride, as: Number.self)
    }
  }

  @inline(__always)
  mutating func add(_ more: Number, to tally: Tally) {
    withUnsafeMutablePointer(to: &numbers) {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: Number.self)[tally.rawValue] &+= more
    }
  }

  var sum: Number { Tally.allCases.reduce(0) { $0 &+ self[$1] } }
  var failures: Number { Tally.allCases.reduce(0) { $1.isFailure ? $0 &+ self[$1] : $0 } }
}

extension LineWriter {
  /// A member for each number; those that are 0 are left out if `isShort`.
  mutating func tallies(_ tallies: Tallies<some FixedWidthInteger & BitwiseCopyable>, isShort: Bool = false) {
    for tally in Tally.allCases where !isShort || tallies[tally] != 0 {
      literal(",\"")
      literal(tally.spelling)
      count("\":", Int(tallies[tally]))
    }
  }
}
