import WorldKit

/// Holds against each other what peers are told of traces beyond the server (contract, section 8). A message is in one trace or in
/// none, whoever is told; each offer has a span of its own; the result and the copies for shadows have that of the message.
struct SpanWatch {
  private struct Known {
    let trace: String
    /// The span of the message, once somebody was told it.
    var own: String?
    var offers: Set<String> = []
  }

  /// By message; nil for one that is in no trace.
  private var walks: [Int: Known?] = [:]
  private var spans: Set<String> = []
  private(set) var violation: Violation?

  private mutating func fail(_ what: String, _ line: SaidLine) {
    if violation == nil { violation = Violation(invariant: .itsTrace, detail: "\(what): \(line.spelled)") }
  }

  /// Returns whether the line is of a message that is traced.
  mutating func said(_ line: SaidLine) -> Bool {
    guard line.op == "offer" || line.op == "result", let walk = line.number("walk") else { return false }
    let parts = line.text("traceparent")?.split(separator: "-").map(String.init)
    if let parts, parts.map(\.count) != [2, 32, 16, 2] { fail("no traceparent", line) }
    let known = walks[walk] ?? parts.map { Known(trace: $0[1]) }
    if known?.trace != parts?[1] { fail("the message is in another trace than before", line) }
    walks[walk] = .some(known)
    guard var known, let span = parts?[2] else { return false }
    if line.op == "result" || line.isTrue("shadow") {
      if known.own ?? span != span { fail("the message has another span than before", line) }
      known.own = span
    } else {
      if !spans.insert(span).inserted { fail("another offer has this span", line) }
      known.offers.insert(span)
    }
    for step in SpanWatch.spans(in: line.raw("trace") ?? []) where spans.contains(step) && !known.offers.contains(step)
    {
      fail("a step has the span \(step) of another message", line)
    }
    walks[walk] = known
    return true
  }

  /// What steps say.
  private static func spans(in trace: [UInt8]) -> [String] {
    let name = Array("\"span\":\"".utf8)
    return trace.indices.filter { trace[$0...].starts(with: name) }.map {
      String(decoding: trace[($0 + name.count)...].prefix(16), as: UTF8.self)
    }
  }
}
