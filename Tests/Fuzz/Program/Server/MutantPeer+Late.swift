import FuzzKit

/// Lines whose answers come in their own time.
extension MutantPeer {
  /// Gives such a line an `id` of its own, and remembers it.
  func label(_ line: [UInt8], _ number: Int) -> (line: [UInt8], lateID: String?) {
    guard LateLine(line) != nil else { return (line, nil) }
    let id = "\(ServerLine.lateID)\(number)\""
    let marked = LateLine.marked(line, id)
    late[id] = LateLine(marked)
    return (marked, id)
  }

  /// Whether an answer has to come that has not.
  var isOwedLate: Bool { late.values.contains(where: \.isOwed) }

  /// What it waits for, for a person.
  var expectation: String {
    late.values.first(where: \.isOwed).map { ", one of them without an answer to \(Self.told($0.line))" } ?? ""
  }

  /// Takes an answer to the line with this `id`.
  func takeLate(_ answer: ServerLine, _ bytes: [UInt8], _ id: String) {
    guard var line = late[id] else { return fault("\(answer.op) to \(id), which was never sent") }
    // What is put together from the store must be JSON, too. A second opinion on long pages would take too long.
    if bytes.count < 2000, ReferenceReader.read(bytes) == nil { fault("no JSON: \(Self.told(bytes))") }
    let wasOpen = line.fate == nil
    if let trouble = line.take(answer, bytes) { fault("\(trouble) to \(Self.told(line.line))") }
    late[id] = line
    if wasOpen, let fate = line.fate { owner.settled(line.kind, fate) }
    if answer.isAboutForm { errors += 1 }
    if let goal = line.goal(of: answer, bytes) { owner.reached(goal) }
    if let stored = line.ended(with: answer, bytes) { owner.ended(stored) }
  }

  /// After a half-close all answers have come, but for results of durable messages. What asked for no reply, and got no
  /// error, was carried out.
  func settleLate() {
    if let line = late.values.first(where: \.isOwed) { fault("no answer came to \(Self.told(line.line))") }
    for (id, line) in late where line.fate == nil {
      owner.settled(line.kind, .accepted)
      late[id] = nil
    }
  }
}
