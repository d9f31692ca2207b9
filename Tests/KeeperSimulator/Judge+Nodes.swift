import WorldKit

/// What a server says that led before, when another one leads: nothing that the log does not have.
extension Judge {
  func hearsOld(_ line: SaidLine) {
    let promise = "an old leader says what the log has"
    let one = line.text("stored").flatMap { messages[$0] }
    let isKept = one.map { $0.isOnDisk && $0.endOnDisk != .refused && $0.endOnDisk != .never } ?? false
    switch line.text("op") {
    case "accepted":
      check(isKept, promise, line.spelled)
      reach("accepted by an old leader")
    case "result" where line.has("stored"):
      check(isKept && one?.endOnDisk != nil, promise, line.spelled)
      reach("ended by an old leader")
    case "offer" where line.has("stored") && !line.isTrue("shadow"):
      let number = line.number("try").map(UInt32.init) ?? .max
      check(isKept && (one?.endOnDisk != nil || number <= one?.triesAtStart ?? 0), promise, line.spelled)
      reach("offered by an old leader")
    case "event" where line.has("seq"): hearsOfEvent(line)
    case "event" where line.text("topic") == "$baton.message.dead":
      let name = SaidLine(line.raw("payload") ?? []).text("stored") ?? ""
      check(messages[name]?.endOnDisk != nil, promise, line.spelled)
    case "error" where line.text("code") == "store_failed":
      guard let id = line.number("id"), requests.indices.contains(id) else { break }
      for (name, one) in messages where one.order == id && one.mark == requests[id].mark {
        check(onDisk(name) == nil && one.endOnDisk != nil, promise, line.spelled)
      }
      reach("refused by an old leader")
    default: break
    }
  }
}
