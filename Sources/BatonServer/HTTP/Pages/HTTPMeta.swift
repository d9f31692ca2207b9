internal import BatonCore
internal import HTTP

/// The `meta` of a message, from the fields of a head: `Baton-Meta`, and the trace of which the request is a part
/// (W3C, Trace Context).
enum HTTPMeta {
  /// Adds the member `meta` to `line`, with the comma before it, if there is one to add.
  ///
  /// - Returns: the bytes of its value, 0 if there is none.
  static func append(_ head: RequestHead, to line: inout [UInt8], _ rules: HTTPRules) throws(HTTPRefusal) -> Int {
    guard let fields = head.texts("baton-meta") else {
      throw HTTPRefusal(.badRequest, "the value of Baton-Meta is not UTF-8")
    }
    let trace = traceMembers(head)
    if fields.isEmpty, trace.isEmpty { return 0 }
    if fields.count > 1 {
      throw HTTPRefusal(.badRequest, "the request has Baton-Meta \(fields.count) times; send one JSON value")
    }
    line.append(",\"meta\":")
    let begun = line.count
    guard let field = fields.first else {
      line.append("{}")
      insert(trace, isFirst: true, into: &line)
      return line.count - begun
    }
    do throws(JSONCheck.Fault) {
      let value = try JSONCheck.append(Array(field.utf8), to: &line, maxDepth: rules.maxDepth)
      if value.kind == .object { addMissing(trace, to: &line, from: begun, value) }
    } catch {
      throw HTTPRefusal(error.code, "Baton-Meta \(error.message)")
    }
    return line.count - begun
  }

  /// `traceparent` and `tracestate`, as far as they came. A `traceparent` that came twice is none (W3C, Trace Context), and
  /// so is what is not UTF-8; several `tracestate` are one list.
  private static func traceMembers(_ head: RequestHead) -> [(name: StaticString, value: String)] {
    var members: [(name: StaticString, value: String)] = []
    let parents = head.texts("traceparent") ?? []
    if parents.count == 1, !parents[0].isEmpty { members.append(("traceparent", parents[0])) }
    let states = (head.texts("tracestate") ?? []).filter { !$0.isEmpty }
    if !states.isEmpty { members.append(("tracestate", states.joined(separator: ","))) }
    return members
  }

  /// Adds those members that the object at the end of `line` does not have in any spelling.
  private static func addMissing(
    _ trace: [(name: StaticString, value: String)], to line: inout [UInt8], from begun: Int, _ object: MemberValue
  ) {
    if trace.isEmpty { return }
    var missing = trace
    var isEmpty = true
    line.withUnsafeBytes { bytes in
      let text = UnsafeRawBufferPointer(rebasing: bytes[begun...])
      for member in ObjectMembers(of: object, in: text) {
        isEmpty = false
        missing.removeAll { member.name.isText($0.name, in: text) }
        if missing.isEmpty { return }
      }
    }
    insert(missing, isFirst: isEmpty, into: &line)
  }

  /// Puts members before the brace with which `line` ends.
  private static func insert(
    _ members: [(name: StaticString, value: String)], isFirst: Bool, into line: inout [UInt8]
  ) {
    line.removeLast()
    var isFirst = isFirst
    for member in members {
      line.append(isFirst ? "\"" : ",\"")
      line.append(member.name)
      line.append("\":")
      line.appendQuoted(member.value)
      isFirst = false
    }
    line.append("}")
  }
}
