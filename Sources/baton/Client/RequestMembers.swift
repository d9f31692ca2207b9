import BatonClient

/// The members of a request, collected from the command line.
struct RequestMembers {
  private(set) var all: [(String, Payload)] = []

  mutating func add(_ name: String, _ value: Payload?) {
    if let value { all.append((name, value)) }
  }

  mutating func add(_ name: String, text: String?) { add(name, text.map { Payload(text: $0) }) }

  mutating func add(_ name: String, number: Int?) throws { add(name, try number.map { try Payload($0) }) }

  mutating func add(_ name: String, texts: [String]) throws {
    if !texts.isEmpty { add(name, try Payload(texts)) }
  }
}
