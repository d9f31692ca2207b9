import BatonClient

/// A span as OTLP writes it in JSON (opentelemetry-proto 1, `Span`), and what stands around spans.
struct OtlpSpan {
  /// The kinds that are made here.
  enum Kind: Int {
    case client = 3
    case producer = 4
  }

  /// The names of attributes are those of this version of the semantic conventions, and `baton.…`.
  static let conventions = "https://opentelemetry.io/schemas/1.37.0"

  private let head: String
  private var attributes: [String] = []

  /// Times are in microseconds since 1970; identifiers and names are of the server, and need no escapes but the name.
  init(
    _ trace: String, _ id: String, under parent: String?, named name: String, _ kind: Kind, from start: Int,
    for microseconds: Int
  ) {
    head =
      "\"traceId\":\(Self.quoted(trace)),\"spanId\":\(Self.quoted(id))"
      + (parent.map { ",\"parentSpanId\":\(Self.quoted($0))" } ?? "")
      + ",\"flags\":1,\"name\":\(Self.quoted(name)),\"kind\":\(kind.rawValue)"
      + ",\"startTimeUnixNano\":\"\(start)000\",\"endTimeUnixNano\":\"\(start &+ microseconds)000\""
  }

  mutating func add(_ name: String, _ text: String?) { add(name, "stringValue", text.map(Self.quoted)) }
  mutating func add(_ name: String, _ number: Int?) { add(name, "intValue", number.map { "\"\($0)\"" }) }
  mutating func add(_ name: String, _ flag: Bool?) { add(name, "boolValue", flag.map { "\($0)" }) }

  private mutating func add(_ name: String, _ kind: String, _ value: String?) {
    if let value { attributes.append("{\"key\":\"\(name)\",\"value\":{\"\(kind)\":\(value)}}") }
  }

  func json(isError: Bool) -> [UInt8] {
    let status = isError ? ",\"status\":{\"code\":2}" : ""
    return Array("{\(head),\"attributes\":[\(attributes.joined(separator: ","))]\(status)}".utf8)
  }

  /// The body of a request with these spans, of the server that has started as `start`.
  static func request(_ spans: [[UInt8]], start: String?) -> [UInt8] {
    var resource = OtlpSpan("", "", under: nil, named: "", .client, from: 0, for: 0)
    resource.add("service.name", "baton")
    resource.add("service.instance.id", start)
    let scope = "{\"name\":\"baton\",\"version\":\(quoted(BatonCommand.configuration.version))}"
    let front =
      "{\"resourceSpans\":[{\"resource\":{\"attributes\":[\(resource.attributes.joined(separator: ","))]},"
      + "\"scopeSpans\":[{\"scope\":\(scope),\"schemaUrl\":\"\(conventions)\",\"spans\":["
    return Array(front.utf8) + spans.joined(separator: [UInt8(ascii: ",")]) + Array("]}]}]}".utf8)
  }

  private static func quoted(_ text: String) -> String { Payload(text: text).json }
}
