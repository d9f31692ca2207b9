import BatonCore

/// Plays a transcript on a stage, and compares what peers get with what the transcript says.
///
/// Peers connect at their first mention. At the end of the transcript, it is a fault if a peer got something that the
/// transcript does not tell, or if the server ended a connection and the transcript does not tell it.
package struct Player<S: Stage> {
  private let transcript: Transcript
  private let stage: S
  private let rewrites: Bool
  /// The configuration file, as it is now.
  private var file: Transcript.File
  private var names: [String: [UInt8]] = [:]
  private var peers: [String] = []
  /// Peers whose stream has ended, or that have gone themselves. They are not checked at the end of the transcript.
  private var finished: Set<String> = []
  private var serverEnded = false
  /// The peer that has sent since the last line came. Before another peer sends, the player waits for the effect.
  private var speaker: String?
  /// Whether the transcript has let time pass under a running clock: after that, the player cannot tell what has not
  /// come yet.
  private var timeIsOpen = false
  /// What was said, a line each: the peer, which way, and the bytes.
  package private(set) var dialogue: [String] = []
  /// Lines that came instead of those written, by line of the file; filled only while rewriting.
  private var rewritten: [Int: String] = [:]

  /// Prepares to play. If `rewrites`, a line that differs is no fault but is kept for the author.
  package init(_ transcript: Transcript, on stage: S, rewrites: Bool = false) {
    self.transcript = transcript
    file = transcript.file
    self.stage = stage
    self.rewrites = rewrites
  }

  /// Plays from the first step to the last. Throws at the first thing that differs.
  package mutating func play() throws {
    for step in transcript.steps {
      do {
        try play(step)
      } catch let error as StageError {
        throw TranscriptError(path: transcript.path, line: step.line, message: error.message)
      }
    }
    try finish()
  }

  /// Lines that came instead of those written, by line of the file.
  package var corrections: [Int: String] { rewritten }

  private mutating func play(_ step: Transcript.Step) throws {
    switch step.action {
    case .peer(let peer, let action):
      try play(action, of: peer, at: step.line)
    case .clock(let milliseconds):
      try settleSpeaker(unless: nil)
      try stage.advance(milliseconds: milliseconds)
      timeIsOpen = stage.clockRuns
    case .store(let state):
      try settleSpeaker(unless: nil)
      try stage.set(state)
    case .serverStartsAgain:
      try settleSpeaker(unless: nil)
      try stage.startAgain()
      (peers, finished, speaker) = ([], [], nil)
    case .serverDrains:
      try settleSpeaker(unless: nil)
      try stage.drain()
    case .serverReloads(let changes):
      try settleSpeaker(unless: nil)
      for change in changes { file.apply(change) }
      try stage.reload(file)
    case .serverGets(let changes):
      try settleSpeaker(unless: nil)
      for change in changes { file.apply(change) }
      try stage.write(file)
    case .serverGetsMistake:
      try settleSpeaker(unless: nil)
      try stage.spoilFile()
    case .serverEnds:
      guard try stage.hasEnded() else { throw failure(step.line, "the server has not ended") }
      serverEnded = true
    }
  }

  private mutating func play(_ action: Transcript.PeerAction, of peer: String, at line: Int) throws {
    if !peers.contains(peer) {
      try settleSpeaker(unless: nil)
      var facts = PeerFacts()
      if case .connects(let told) = action { facts = told }
      try stage.connect(peer, facts)
      peers.append(peer)
    } else if case .connects = action {
      throw failure(line, "\(peer) is connected already")
    }
    switch action {
    case .connects: break
    case .sends(let bytes):
      try settleSpeaker(unless: peer)
      let sent = Expansion.named(in: bytes, names)
      note(sent, of: peer, "→")
      try stage.send(sent, from: peer)
      speaker = peer
    case .gets(let pattern):
      try compare(try stage.receive(peer), with: pattern, of: peer, at: line)
    case .nothing:
      if timeIsOpen { return }
      try stage.settle()
      speaker = nil
      let got = try stage.received(peer)
      guard got == .nothing else { throw failure(line, "\(peer) expected nothing\n  got: \(got.told)") }
    case .isClosed:
      let got = try stage.receive(peer)
      guard got == .end(unfinished: []) else { throw failure(line, "\(peer) expected the end\n  got: \(got.told)") }
      finished.insert(peer)
      heard()
      // The peer reads the end before the server has forgotten the connection. The next peer waits for that.
      speaker = peer
    case .isGone:
      guard try stage.isGone(peer) else { throw failure(line, "the server has not let go of \(peer)") }
      finished.insert(peer)
      heard()
    case .halfCloses, .closes, .dies, .stopsReading, .readsOn:
      try settleSpeaker(unless: peer)
      try change(action, of: peer)
    }
  }

  private mutating func change(_ action: Transcript.PeerAction, of peer: String) throws {
    switch action {
    case .halfCloses: try stage.halfClose(peer)
    case .closes: try stage.close(peer)
    case .dies: try stage.reset(peer)
    case .stopsReading: return try stage.setReading(false, of: peer)
    case .readsOn: return try stage.setReading(true, of: peer)
    default: return
    }
    speaker = peer
    if case .halfCloses = action { return }
    finished.insert(peer)
  }

  private mutating func compare(_ got: Received, with pattern: LinePattern, of peer: String, at line: Int) throws {
    heard()
    if case .line(let bytes) = got {
      note(bytes, of: peer, "←")
      if pattern.matches(bytes, names: &names, clockRuns: stage.clockRuns) { return }
      if rewrites {
        rewritten[line] = "\(peer) ← \(String(decoding: bytes, as: UTF8.self))"
        return
      }
    }
    throw failure(line, "\(peer) expected: \(pattern.text)\n  got: \(got.told)")
  }

  private mutating func note(_ bytes: [UInt8], of peer: String, _ way: String) {
    dialogue.append("\(peer) \(way) \(String(decoding: bytes, as: UTF8.self))")
  }

  /// Something came, so what was sent before has had its effect.
  private mutating func heard() {
    speaker = nil
    timeIsOpen = false
  }

  /// Two peers send through two sockets. The kernel chooses which is read first, unless one waits for the other.
  private mutating func settleSpeaker(unless peer: String?) throws {
    guard let speaker, speaker != peer else { return }
    try stage.settle()
    self.speaker = nil
  }

  private func finish() throws {
    let last = transcript.steps.last?.line ?? 1
    if serverEnded { return try finishAfterServer(last) }
    try stage.settle()
    for peer in peers where !finished.contains(peer) {
      let got = try stage.received(peer)
      guard got == .nothing else {
        throw failure(last, "at the end, \(peer) has something that is not told\n  got: \(got.told)")
      }
    }
  }

  private func finishAfterServer(_ last: Int) throws {
    for peer in peers where !finished.contains(peer) {
      let got = try stage.receive(peer)
      guard got == .end(unfinished: []) else {
        throw failure(last, "the server ended, and \(peer) has something that is not told\n  got: \(got.told)")
      }
    }
  }

  private func failure(_ line: Int, _ message: String) -> TranscriptError {
    TranscriptError(path: transcript.path, line: line, message: message)
  }
}

/// A stage that cannot do what it is told.
package struct StageError: Error {
  /// What it could not do, and why.
  package let message: String

  init(_ message: String) {
    self.message = message
  }
}
