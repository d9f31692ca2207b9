/// What a peer has seen in answers, so that its lines name what is there: stored messages, the epoch of kept events, and
/// links of its own.
package struct SeenNames {
  /// Spelled as texts of JSON, the latest last.
  private(set) var stored: [[UInt8]] = []
  private(set) var epoch = Array(#""0""#.utf8)
  /// The members `chain` and `handler`.
  private(set) var links: [[LineMembers.Entry]] = []

  /// More are forgotten, the oldest first.
  private static let most = 32
  /// How the result of a dead letter ends.
  private static let deadEnd = Array(#","dead":true}"#.utf8)
  /// A name that no server draws.
  private static let unknown = Array(#""k3f9m2q8w1x7c5z4-1042""#.utf8)

  package init() {}

  /// Takes what `answer`, a line of the server with this op, names.
  package mutating func take(_ answer: [UInt8], op: String) {
    switch op {
    case "accepted", "dead": takeStored(in: answer)
    case "result": if answer.suffix(Self.deadEnd.count).elementsEqual(Self.deadEnd) { takeStored(in: answer) }
    case "ok":
      guard let members = LineMembers(answer) else { return }
      if members.value(of: "stored") != nil { takeStored(in: answer) }
      if let epoch = members.value(of: "epoch") { self.epoch = epoch }
      let link = members.entries.filter { ["chain", "handler"].contains(LineMembers.text($0.name)) }
      if link.count == 2, members.value(of: "rank") != nil { Self.add(link, to: &links) }
    default: break
    }
  }

  private mutating func takeStored(in answer: [UInt8]) {
    var rest = answer[...]
    while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
      rest = rest[quote...]
      guard rest.starts(with: Self.mark) else {
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(Self.mark.count)
      guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
        continue
      }
      Self.add(Array(rest[...end]), to: &stored)
    }
  }

  private static let mark = Array(#""stored":"#.utf8)

  private static func add<Name>(_ name: Name, to names: inout [Name]) {
    names.append(name)
    if names.count > most { names.removeFirst(names.count - most) }
  }

  /// Puts names where the transcript has the value of an earlier line: `<*s>`.
  mutating func fill(_ line: inout [UInt8], using generator: inout SeededGenerator) {
    var from = line.startIndex
    while let open = line[from...].firstIndex(of: UInt8(ascii: "<")) {
      from = open + 1
      guard line[from...].first == UInt8(ascii: "*"), let end = line[from...].firstIndex(of: UInt8(ascii: ">")) else {
        continue
      }
      let isEpoch = line[from..<end].elementsEqual("*e".utf8)
      let name = isEpoch ? epoch : stored.randomElement(using: &generator) ?? Self.unknown
      line.replaceSubrange(open...end, with: name)
    }
  }

  /// Lets a `move` or a `remove` be about a link that stands.
  mutating func lead(_ line: inout [UInt8], using generator: inout SeededGenerator) {
    guard var members = LineMembers(line), let op = members.op, ["move", "remove"].contains(op),
      let place = links.indices.randomElement(using: &generator)
    else { return }
    members.entries.removeAll { ["chain", "handler", "on"].contains(LineMembers.text($0.name)) }
    members.entries += links[place]
    if op == "remove" { links.remove(at: place) }
    line = members.line
  }
}
