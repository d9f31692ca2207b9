internal import BatonCore

/// The trace in which what a task does now is (contract, section 8, "Traces beyond the server").
public enum Traceparent {
  /// What the message or the event says that is handled now: the trace, and the span that led to it, as W3C Trace Context
  /// writes them. Nil where there is none, and outside of handlers and subscribers.
  @TaskLocal public static var current: String?

  /// In which trace a message or an event is: what the server says, or else the sender in its `meta`.
  static func of(_ line: ServerLine) -> String? {
    line.text("traceparent").flatMap { SpanContext.text($0) }
      ?? line.payload("meta").flatMap { SpanContext.text(ofMeta: $0.bytes) }
  }

  /// The `meta` of a message that is sent now. It says the trace, unless it says one itself, or is no object; JSON that goes byte
  /// for byte does so.
  static func handedOn<Meta: Encodable>(_ meta: Meta?) throws -> Payload? {
    let given = try meta.map { try Payload($0) }
    guard let current else { return given }
    let member = Array("{\"traceparent\":\(Payload(text: current).json)".utf8)
    guard let given else { return Payload(checked: member + [UInt8(ascii: "}")]) }
    guard Meta.self != Payload.self, given.bytes.first == UInt8(ascii: "{"),
      !SpanContext.isSaid(inMeta: given.bytes)
    else { return given }
    let rest = given.bytes.dropFirst()
    return Payload(checked: member + (rest.first == UInt8(ascii: "}") ? [] : [UInt8(ascii: ",")]) + rest)
  }
}
