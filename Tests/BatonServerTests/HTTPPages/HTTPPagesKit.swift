import BatonCore
import HTTP
import Testing

@testable import BatonServer

/// Requests for the tests of the pages, as a peer writes them.
enum Asked {
  /// The head of a request. `Host: localhost` is added unless the fields name one.
  static func head(_ first: String, _ fields: [String] = []) throws -> RequestHead {
    let lines = [first + " HTTP/1.1"] + (fields.contains { $0.hasPrefix("Host:") } ? [] : ["Host: localhost"]) + fields
    return try head(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
  }

  static func head(bytes: [UInt8]) throws -> RequestHead {
    var reader = RequestReader(maxHead: 16_384)
    var position = 0
    let event = bytes.withUnsafeBytes { reader.next(in: $0, at: &position) }
    switch event {
    case .head(let head): return head
    case .fault(let fault): throw fault
    default: throw Unread()
    }
  }

  struct Unread: Error {}

  static func plan(
    _ first: String, _ fields: [String] = [], _ rules: HTTPRules = HTTPRules(), secondsToDrain: Int? = nil
  ) throws -> HTTPPlan {
    plan(try head(first, fields), rules, secondsToDrain: secondsToDrain)
  }

  static func plan(_ head: RequestHead, _ rules: HTTPRules = HTTPRules(), secondsToDrain: Int? = nil) -> HTTPPlan {
    HTTPPlan.of(head, rules, cors: HTTPGate.headers(for: head, rules), secondsToDrain: secondsToDrain)
  }

  /// The request that the router gets.
  static func request(
    _ first: String, _ fields: [String] = [], _ rules: HTTPRules = HTTPRules(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPRequest {
    switch try plan(first, fields, rules) {
    case .request(let request), .metrics(let request), .events(let request): return request
    case .answer(let answer):
      Issue.record("\(String(decoding: answer.body, as: UTF8.self))", sourceLocation: sourceLocation)
      throw answer
    default: throw Unread()
    }
  }

  /// The line that the router gets.
  static func line(
    _ first: String, _ fields: [String] = [], body: String? = nil, _ rules: HTTPRules = HTTPRules(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
    let request = try request(first, length + fields, rules, sourceLocation: sourceLocation)
    return String(decoding: try request.line(body: Array((body ?? "").utf8)).get(), as: UTF8.self)
  }

  /// The answer to a request that never comes to the router, or whose body is refused.
  static func answer(
    _ first: String, _ fields: [String] = [], body: [UInt8]? = nil, _ rules: HTTPRules = HTTPRules(),
    secondsToDrain: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPAnswer {
    let length = body.map { ["Content-Length: \($0.count)"] } ?? []
    switch try plan(first, length + fields, rules, secondsToDrain: secondsToDrain) {
    case .answer(let answer): return answer
    case .request(let request):
      switch request.line(body: body ?? []) {
      case .failure(let answer): return answer
      case .success(let line):
        Issue.record("it was taken: \(String(decoding: line, as: UTF8.self))", sourceLocation: sourceLocation)
        throw Unread()
      }
    default:
      Issue.record("it was taken", sourceLocation: sourceLocation)
      throw Unread()
    }
  }

  /// The status and the code of a refusal, `415 bad_type`, after a look at the rules that hold for all of them.
  static func refusal(
    _ first: String, _ fields: [String] = [], body: String? = nil, _ rules: HTTPRules = HTTPRules(),
    secondsToDrain: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let answer = try answer(
      first, fields, body: body.map { Array($0.utf8) }, rules, secondsToDrain: secondsToDrain,
      sourceLocation: sourceLocation)
    check(answer, sourceLocation: sourceLocation)
    return "\(answer.status) \(header("Baton-Error", of: answer) ?? "")"
  }

  /// What holds for every refusal: one error line of JSON, with the code that the header says.
  static func check(_ answer: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
    let text = String(decoding: answer.body, as: UTF8.self)
    let code = header("Baton-Error", of: answer) ?? ""
    #expect((400...599).contains(answer.status), sourceLocation: sourceLocation)
    #expect(header("Baton-Status", of: answer) == nil, sourceLocation: sourceLocation)
    #expect(header("Content-Type", of: answer) == "application/json", sourceLocation: sourceLocation)
    #expect(text.hasPrefix("{\"op\":\"error\",\"code\":\"\(code)\",\"message\":\""), sourceLocation: sourceLocation)
    #expect(text.hasSuffix("\"}\n"), sourceLocation: sourceLocation)
    #expect(answer.body.filter { $0 == UInt8(ascii: "\n") }.count == 1, sourceLocation: sourceLocation)
    #expect(JSONText.value(answer.body.dropLast()) != nil, "\(text)", sourceLocation: sourceLocation)
    for (name, value) in answer.headers {
      #expect((name + value).utf8.allSatisfy { 0x20...0x7E ~= $0 }, sourceLocation: sourceLocation)
    }
  }

  static func header(_ name: String, of answer: HTTPAnswer) -> String? {
    let found = answer.headers.filter { $0.name == name }
    #expect(found.count < 2, "\(name) twice")
    return found.first?.value
  }

  static func message(of answer: HTTPAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }
}
