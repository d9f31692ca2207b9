import BatonChainMacros
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private let macros = ["Chain": MacroSpec(type: ChainMacro.self)]

/// Expands the macro in `source`. What differs is an issue of the test.
private func expect(_ source: String, becomes expanded: String, faults: [DiagnosticSpec] = []) {
  assertMacroExpansion(
    source, expandedSource: expanded, diagnostics: faults, macroSpecs: macros, indentationWidth: .spaces(2),
    failureHandler: { Issue.record("\($0.message)") })
}

/// What code `@Chain` makes.
@Suite struct ExpansionTests {
  @Test func aProtocolBecomesSenderAndHandler() {
    expect(
      """
      @Chain protocol Door: Sendable {
        func open(_ who: String) async throws -> Int?
        func rang(at place: String) async
      }
      """,
      becomes: """
        protocol Door: Sendable {
          func open(_ who: String) async throws -> Int?
          func rang(at place: String) async
        }

        /// Sends what Door says, and is a Door itself.
        struct DoorSender: Door {
          private let _wire: BatonChain.ChainWire

          /// Sends to `chain`. An answer may take `timeout`, or as long as the server allows. `onError` gets what
          /// methods that do not throw cannot tell their callers.
          init(
            _ client: BatonClient.Client, chain: Swift.String = "main", timeout: Swift.Duration? = nil,
            onError: @escaping @Sendable (any Swift.Error) -> Swift.Void = {
              BatonChain.ChainWire.complain($0)
            }
          ) {
            self._wire = BatonChain.ChainWire(client, chain: chain, timeout: timeout, onError: onError)
          }

          func open(_ who: String) async throws -> Int? {
            try await self._wire.ask("door.open", who, for: Int.self)
          }

          func rang(at place: String) async {
            await self._wire.tellAnyway("door.rang", _Members_rang(at: place))
          }

          private struct _Members_rang: Swift.Encodable {
            let at: String
          }
        }

        /// Hands the messages of Door to a value, and answers for it.
        struct DoorHandler: BatonClient.Handling {
          private let _served: any Door

          /// The topics of Door.
          let accepts: [Swift.String] = ["door.open", "door.rang"]

          init(_ served: any Door) {
            self._served = served
          }

          func verdict(on message: BatonClient.Message) async throws -> BatonClient.Verdict {
            switch message.topic {
            case "door.open":
              let payload = try message.decode(String.self)
              guard let answer = try await self._served.open(payload) else {
                return .continue
              }
              return .handled(try BatonClient.Payload(answer))
            case "door.rang":
              let payload = try message.decode(_Members_rang.self)
              await self._served.rang(at: payload.at)
              return .continue
            default:
              return .continue
            }
          }

          private struct _Members_rang: Swift.Decodable {
            let at: String
          }
        }
        """)
  }
}

/// What `@Chain` says of protocols that cannot go over the wire, and where.
@Suite struct FaultTests {
  /// A line of a protocol, what is said of it, and the column of the place.
  @Test(arguments: [
    (
      "func open() async throws -> Int",
      "a result must be optional: nil says that the message is for the next link, or that nobody took it; write Int?",
      31
    ),
    ("func open() async throws -> Int??", "nil would have two meanings: write one question mark", 31),
    ("func open() async throws -> Void?", "an answer of nothing cannot be told from none: answer Bool?", 31),
    ("func open() async -> Int?", "an answer over the wire takes time, and can fail: write async throws", 8),
    ("func open() throws -> Int?", "an answer over the wire takes time, and can fail: write async throws", 8),
    ("func open()", "a message over the wire takes time: write async", 8),
    ("func open() async throws(Locked)", "a message can fail for other reasons than Locked, too: write throws", 28),
    (
      "func open(_ a: inout Int) async",
      "what the handler writes into an inout parameter does not come back: return it", 18
    ),
    ("func open(_ a: () -> Void) async", "a closure cannot go over the wire: send a value, and get an answer", 18),
    (
      "func open(_ a: @escaping @Sendable () -> Void) async",
      "a closure cannot go over the wire: send a value, and get an answer", 38
    ),
    ("func open(_ a: [(Int) -> Int]) async", "a closure cannot go over the wire: send a value, and get an answer", 19),
    ("func open(_ a: (Int, Int)) async", "a tuple cannot go over the wire: write a struct that is Codable", 18),
    ("func open(_ a: Int...) async", "a variable number of arguments cannot go over the wire: take a list", 21),
    (
      "func open(_ a: some Codable) async",
      "some cannot go over the wire, because a payload has one type: name the type", 18
    ),
    (
      "func open(_ a: any Codable) async", "any cannot go over the wire, because a payload has one type: name the type",
      18
    ),
    ("func open(_ a: Int.Type) async", "a type cannot go over the wire: send a value", 18),
    ("func open(_ a: [Any]) async", "Any cannot go over the wire, because a payload has one type: name the type", 19),
    (
      "func open() async throws -> Self?",
      "Self cannot go over the wire, because a payload has one type: name the type", 31
    ),
    ("func open(_: Int) async", "the parameter needs a name: _ name: Type", 13),
    ("func open(to a: Int, to b: Int) async", "two parameters would be the member to: give one another label", 24),
    (
      "func open<T>(_ a: T) async",
      "a generic method cannot go over the wire, because a payload has one type: name the type", 12
    ),
    ("static func open() async", "nobody serves a static method: a message goes to a value; leave static out", 3),
    ("mutating func open() async", "mutating says nothing over the wire; leave mutating out", 3),
    ("static func + (a: Int, b: Int) async", "an operator has no name that could be a topic: write a method", 15),
    (
      "var isOpen: Bool { get async }",
      "a property cannot go over the wire: write a method, with an answer that is optional", 3
    ),
    (
      "subscript(a: Int) -> Int { get }",
      "a subscript cannot go over the wire: write a method, with an answer that is optional", 3
    ),
    ("init()", "an initializer cannot go over the wire: a handler is made where it runs", 3),
    (
      "associatedtype Key", "associated types cannot go over the wire, because a payload has one type: name the type", 3
    ),
    ("typealias Key = Int", "the handler that is made does not see this name: put it outside of the protocol", 3),
  ])
  func aMethodThatCannotBeAMessage(line: String, why: String, column: Int) {
    let source = "protocol Door: Sendable {\n  \(line)\n}"
    var faults = [DiagnosticSpec(message: why, line: 2, column: column)]
    // A static operator has two faults.
    if line.contains("+") {
      faults.append(
        DiagnosticSpec(
          message: "nobody serves a static method: a message goes to a value; leave static out", line: 2, column: 3))
    }
    expect("@Chain \(source)", becomes: source, faults: faults)
  }

  @Test func aMethodWithSeveralFaultsIsToldAllOfThem() {
    let source = "protocol Door: Sendable {\n  func open<T>(_ a: inout T)\n}"
    let faults = [
      DiagnosticSpec(
        message: "a generic method cannot go over the wire, because a payload has one type: name the type", line: 2,
        column: 12),
      DiagnosticSpec(
        message: "what the handler writes into an inout parameter does not come back: return it", line: 2, column: 21),
      DiagnosticSpec(message: "a message over the wire takes time: write async", line: 2, column: 8),
    ]
    expect("@Chain \(source)", becomes: source, faults: faults)
  }

  @Test func twoMethodsAreNotOneTopic() {
    let source = "protocol Door: Sendable {\n  func open(_ a: Int) async\n  func open(_ a: String) async\n}"
    let why = "two methods are named open, and would be one topic, door.open: give this one another name"
    expect("@Chain \(source)", becomes: source, faults: [DiagnosticSpec(message: why, line: 3, column: 8)])
  }

  /// What stands before the members: its source behind `@Chain`, what is said, and the column.
  @Test(arguments: [
    (
      "", "protocol Door {\n  func open() async\n}", "handlers run beside each other: write protocol Door: Sendable", 17
    ),
    (
      "", "protocol Door: Sendable, Other {\n  func open() async\n}",
      "a macro does not see what Other asks for: write its methods here, and inherit Sendable only", 33
    ),
    ("", "protocol Door: Sendable {}", "Door has no methods, and so no topics: each method is one", 17),
    (
      "", "protocol Door<Key>: Sendable {\n  func open() async\n}",
      "associated types cannot go over the wire, because a payload has one type: name the type", 21
    ),
    (
      "", "struct Door: Sendable {\n  func open() async {}\n}",
      "@Chain makes a sender and a handler of a protocol, and this is none", 1
    ),
    (
      "(\"a..b\")", "protocol Door: Sendable {\n  func open() async\n}",
      "a topic has words between dots, and none is empty: write house.door, without a dot at the end", 8
    ),
    (
      "(\"a b\")", "protocol Door: Sendable {\n  func open() async\n}",
      "a topic has no spaces, no control characters, no * and no >: write house.door", 8
    ),
    (
      "(\"$baton\")", "protocol Door: Sendable {\n  func open() async\n}",
      "topics that begin with $ are the server's own",
      8
    ),
    (
      "(\"\\(a)\")", "protocol Door: Sendable {\n  func open() async\n}",
      "the macro must know the topics: write a text here, without \\(…)", 8
    ),
  ])
  func aProtocolThatCannotBeAChain(arguments: String, source: String, why: String, column: Int) {
    expect(
      "@Chain\(arguments) \(source)", becomes: source, faults: [DiagnosticSpec(message: why, line: 1, column: column)])
  }
}
