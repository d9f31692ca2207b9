/// Makes the lines of one peer: lines of the transcripts, some of them changed. The same seed and the same offers give
/// the same lines. Each begins with `{` and has no line feed.
package struct DialogueMutator {
  /// What the lines are made of: the transcripts' lines by what they ask for.
  package struct Source: Sendable {
    let lines: [[UInt8]]
    /// The members of those lines that have some: read once, not for each peer.
    let members: [LineMembers]
    /// A group for each kind of line, and one for all lines without a known op.
    let requests: [[[UInt8]]]
    let verdicts: [[[UInt8]]]

    /// The most bytes of a line. Longer lines would mostly test the network.
    private static let longest = 10_000
    /// The op of which no line is made.
    package static let closing = "close"

    /// `ops` are those that the server knows. Lines that name the server's own topics are left out: they would be
    /// refused. So are those that close other peers: they would close the control client.
    package init(_ lines: [[UInt8]], ops: [String]) {
      self.lines = lines.filter {
        $0.first == UInt8(ascii: "{") && !$0.contains(UInt8(ascii: "$")) && $0.count <= Self.longest
          && LineMembers($0)?.op != Self.closing
      }.map(Self.apart)
      members = self.lines.compactMap { LineMembers($0) }.filter { !$0.entries.isEmpty }
      let groups = Dictionary(grouping: self.lines) { line in
        LineMembers(line).flatMap { members in members.op.flatMap { ops.contains($0) ? members.kind : nil } } ?? ""
      }
      let sorted = groups.sorted { $0.key < $1.key }
      requests = sorted.filter { !Self.verdictOps.contains($0.key) }.map(\.value)
      verdicts = sorted.filter { Self.verdictOps.contains($0.key) }.map(\.value)
    }

    /// Puts a place that stays without its handler into a chain of its own, which no transcript names, and holds it for
    /// a short time. In the other chains, messages would soon wait for handlers that never come, and so would the run.
    private static func apart(_ line: [UInt8]) -> [UInt8] {
      guard var members = LineMembers(line), ["hold_ms", "required"].contains(where: { members.value(of: $0) != nil })
      else { return line }
      members.entries.removeAll { ["chain", "hold_ms"].contains(LineMembers.text($0.name)) }
      let isHeld = LineMembers(line)?.value(of: "hold_ms") != nil
      if isHeld { members.entries.append(LineMembers.Entry(name: Array(#""hold_ms""#.utf8), value: Array("200".utf8))) }
      members.entries.append(LineMembers.Entry(name: Array(#""chain""#.utf8), value: Array(#""apart""#.utf8)))
      return members.line
    }

    private static let verdictOps = ["handled", "continue", "reject", "failed", "working"]
  }

  /// What the lines may name.
  package var seen = SeenNames()
  private let source: Source
  private var bytes: LineMutator
  private var members: MemberMutator
  private var generator: SeededGenerator

  /// `peer` numbers the peers of one seed.
  package init(seed: UInt64, peer: Int, source: Source) {
    self.source = source
    generator = SeededGenerator(seed: seed)
    generator = SeededGenerator(seed: generator.next() &+ UInt64(peer))
    bytes = LineMutator(seed: generator.next(), lines: source.lines)
    members = MemberMutator(seed: generator.next(), lines: source.members)
  }

  /// A request, or an answer that is not for a particular offer.
  package mutating func request() -> [UInt8] {
    let isVerdict = Int.random(in: 0..<20, using: &generator) == 0
    var line = line(from: isVerdict ? source.verdicts : source.requests)
    seen.fill(&line, using: &generator)
    if Bool.random(using: &generator) { seen.lead(&line, using: &generator) }
    return mutated(line)
  }

  /// A verdict for `offer`, or for one near it. A `plain` one holds nothing else and is right.
  package mutating func verdict(for offer: Int, plain: Bool) -> [UInt8] {
    let line = line(from: source.verdicts)
    guard var members = LineMembers(line) else { return line }
    let isNear = !plain && Int.random(in: 0..<8, using: &generator) == 0
    let id = isNear ? offer + Int.random(in: -3...3, using: &generator) : offer
    let spelled = LineMembers.Entry(name: Array(#""id""#.utf8), value: Array("\(id)".utf8))
    members.entries.removeAll { entry in
      let name = LineMembers.text(entry.name)
      return plain ? name != "op" : name == "id"
    }
    members.entries.insert(spelled, at: Int.random(in: 0...members.entries.count, using: &generator))
    return plain ? members.line : mutated(members.line)
  }

  private mutating func line(from groups: [[[UInt8]]]) -> [UInt8] {
    let group = groups[Int.random(in: 0..<groups.count, using: &generator)]
    return group[Int.random(in: 0..<group.count, using: &generator)]
  }

  private mutating func mutated(_ line: [UInt8]) -> [UInt8] {
    var line = line
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...3: break
    case 4...7: for _ in 0..<Int.random(in: 1...3, using: &generator) { members.change(&line) }
    default: for _ in 0..<Int.random(in: 1...3, using: &generator) { bytes.change(&line) }
    }
    // A member that came from another line may wait for a name, too.
    seen.fill(&line, using: &generator)
    for place in line.indices where line[place] == 0x0A { line[place] = 0x20 }
    if line.first != UInt8(ascii: "{") { line.insert(UInt8(ascii: "{"), at: 0) }
    return line
  }
}
