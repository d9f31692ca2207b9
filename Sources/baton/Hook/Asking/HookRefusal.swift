import BatonClient

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How a no is said to an agent, so that it takes it. It writes what was made before, so that a signal can say it, too.
struct HookRefusal: Sendable {
  let agent: HookAgent?
  /// The question is another agent's, or it is not known whose: what all of them take.
  let isForeign: Bool
  /// How long the chain may take, for the sentence.
  var time: String

  init(_ form: HookForm?, isForeign: Bool = false, time: String = "50 s") {
    agent = form?.agent
    self.isForeign = isForeign || form == nil
    self.time = time
  }

  /// One line, as an agent is given it, and the same as JSON.
  struct Said: Sendable {
    let sentence: [UInt8]
    let json: [UInt8]
    let isJSONFirst: Bool
    let jsonCode: Int32
  }

  /// The most bytes of a sentence.
  static let most = 2300

  func said(_ sentence: String) -> Said {
    let isFirst = !isForeign && agent?.refusing == .byJSON
    let line = HookRefusal.line(sentence, most: HookRefusal.most)
    // One write to a pipe is whole up to 4096 bytes.
    var json: [UInt8] = []
    for most in [HookRefusal.most, 1800] where json.isEmpty || json.count > 4000 {
      let quoted = Payload(text: HookRefusal.line(sentence, most: most / (agent?.noBetween == nil ? 1 : 2))).json
      json = Array(((agent ?? .claude).no(quoted) + "\n").utf8)
    }
    return Said(
      sentence: Array((line + "\n").utf8), json: json, isJSONFirst: isFirst, jsonCode: agent?.noCode ?? 0)
  }

  /// Says it, and ends the program.
  func end(_ sentence: String) -> Never {
    let said = said(sentence)
    HookWatch.claim()
    say(said)
  }

  private func say(_ said: Said) -> Never {
    HookWatch.exit(
      said.sentence.withUnsafeBytes { sentence in
        said.json.withUnsafeBytes { HookRefusal.say(sentence, $0, said.isJSONFirst, said.jsonCode, patience: 1000) }
      })
  }

  func end(broken words: String) -> Never { end("The guard is broken: \(words.ended) Nothing was run.") }

  /// Says yes, and ends the program. What cannot be said is a no.
  func permit(_ line: String) -> Never {
    let bytes = Array((line.isEmpty ? "" : line + "\n").utf8)
    let refusal = HookRefusal(nil).said("The guard is broken: its yes could not be written. Nothing was run.")
    HookWatch.claim()
    if bytes.isEmpty || bytes.withUnsafeBytes({ HookRefusal.isTaken($0, by: STDOUT_FILENO, patience: 1000) }) {
      HookWatch.exit(0)
    }
    say(refusal)
  }

  /// Says a no by the first way that takes it, and returns the exit code. It allocates nothing.
  static func say(
    _ sentence: UnsafeRawBufferPointer, _ json: UnsafeRawBufferPointer, _ isJSONFirst: Bool, _ jsonCode: Int32,
    patience: Int32
  ) -> Int32 {
    if isJSONFirst, isTaken(json, by: STDOUT_FILENO, patience: patience) { return jsonCode }
    if isTaken(sentence, by: STDERR_FILENO, patience: patience) { return 2 }
    if !isJSONFirst, isTaken(json, by: STDOUT_FILENO, patience: patience) { return jsonCode }
    return 2
  }

  /// Whether a descriptor takes all of it at once. A full pipe has so many milliseconds to get room.
  private static func isTaken(_ bytes: UnsafeRawBufferPointer, by number: Int32, patience: Int32) -> Bool {
    var room = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    guard poll(&room, 1, patience) == 1, room.revents & Int16(POLLOUT) != 0 else { return false }
    return write(number, bytes.baseAddress, bytes.count) == bytes.count
  }

  /// The sentence in one line: what acts on a terminal, or turns the direction of writing, is spelled out.
  private static func line(_ sentence: String, most: Int) -> String {
    var line = String.UnicodeScalarView()
    var count = 0
    for scalar in sentence.unicodeScalars {
      let shown = scalar.isSeen ? String(scalar) : scalar == "\n" ? " " : scalar.spelledOut
      count += shown.utf8.count
      guard count <= most - 3 else { return String(line) + "…" }
      line += shown.unicodeScalars
    }
    return String(line)
  }
}

extension String {
  /// The text as a sentence's end.
  var ended: String {
    let text = String(reversed().drop { $0.isWhitespace }.reversed())
    return text.hasSuffix(".") || text.hasSuffix("!") || text.hasSuffix("?") ? text : text + "."
  }
}
