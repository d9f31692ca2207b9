import BatonClient

/// The questions that wait for a person, and what the person is about to do. It knows no terminal and no server: it is told
/// what happens and when, and says what is to be done.
struct AskDesk {
  /// What the person is doing with the shown question.
  enum Mode: Equatable {
    case looking
    /// Asked once more before the message ends here.
    case confirming
    /// Writing why the message is refused.
    case reasoning
    /// Reading what the keys do.
    case helping
  }

  /// What is to be done.
  enum Act: Equatable {
    case answer(Int, Answer)
    case edit(Int)
    case leave
  }

  /// What the person has decided.
  enum Answer: Equatable {
    case approve(Payload?)
    case handle(Payload?)
    case reject(String)
    case fail(String)
  }

  private(set) var questions: [Question] = []
  private(set) var mode = Mode.looking
  /// What has happened last, for the person.
  private(set) var note: String?
  /// What is wrong with the connection; nil while it stands.
  var trouble: String?
  /// The terminal's columns and rows.
  private(set) var size: (columns: Int, rows: Int)
  /// How many offers may be open at once.
  let window: Int
  /// The shown question in lines that fit. They are made when another one is shown, and not for each picture: a payload
  /// may have a megabyte.
  private(set) var text: [String] = []
  /// The number of the shown question; nil if none waits.
  private(set) var shownID: Int?
  /// From when on keys decide: they were meant for what was on the screen before.
  private(set) var decidesFrom: ContinuousClock.Instant

  /// How long keys that decide are dropped after another question is shown.
  static let pause = Duration.milliseconds(500)
  /// The least terminal in which a question can be read.
  static let least = (columns: 40, rows: 10)
  /// The most characters of a reason.
  static let mostReason = 500

  init(window: Int, size: (columns: Int, rows: Int), at now: ContinuousClock.Instant) {
    self.window = window
    self.size = size
    decidesFrom = now
  }

  /// The question on the screen.
  var shown: Question? { index.map { questions[$0] } }
  private var index: Int? { shownID.flatMap { id in questions.firstIndex { $0.id == id } } }

  /// How many wait for an answer.
  var waiting: Int { questions.count { $0.lapse == nil } }
  /// The place of the shown one among all on the desk, from 1.
  var position: Int { (index ?? -1) + 1 }

  var isTooSmall: Bool { size.columns < AskDesk.least.columns || size.rows < AskDesk.least.rows }

  // MARK: What happens

  /// A message came. Returns whether the person is to be called: nothing was waiting.
  mutating func came(_ question: Question, at now: ContinuousClock.Instant) -> Bool {
    let isFirst = waiting == 0
    questions.append(question)
    if shownID == nil { show(question.id, at: now) }
    return isFirst
  }

  /// Nothing can be sent for a question any more. It stays on the screen if it is shown, with what was written.
  mutating func lapsed(_ id: Int, because why: String, at now: ContinuousClock.Instant) {
    guard let at = questions.firstIndex(where: { $0.id == id && $0.lapse == nil }) else { return }
    if id == shownID {
      questions[at].lapse = why
      if mode == .confirming { mode = .looking }
      decidesFrom = now + AskDesk.pause
    } else {
      questions.remove(at: at)
    }
  }

  mutating func resized(to size: (columns: Int, rows: Int)) {
    self.size = size
    layOut()
  }

  /// The editor has ended, and left this text.
  mutating func edited(_ id: Int, _ text: EditedText, at now: ContinuousClock.Instant) {
    decidesFrom = now + AskDesk.pause
    guard let at = questions.firstIndex(where: { $0.id == id }) else { return }
    questions[at].draft = nil
    switch text.payload(inPlaceOf: questions[at].rewritten ?? questions[at].payload) {
    case .success(nil): note = "nothing was changed"
    case .success(let payload):
      questions[at].rewritten = payload
      (questions[at].offset, questions[at].isSeen) = (0, false)
      note = "changed: a sends it on as it stands here, e changes it again"
    case .failure(let fault):
      questions[at].draft = text.text
      note = fault.words
    }
    layOut()
  }

  /// The editor has left nothing.
  mutating func editorFailed(_ words: String, at now: ContinuousClock.Instant) {
    decidesFrom = now + AskDesk.pause
    note = words
  }

  /// The text that an editor begins with: what the person has left there, or the payload.
  func text(toEdit id: Int) -> String? {
    guard let question = questions.first(where: { $0.id == id }) else { return nil }
    return question.draft ?? (question.rewritten ?? question.payload).map { JSONLines.text(of: $0) + "\n" } ?? ""
  }

  /// A notice: a message that waits for nobody.
  mutating func told(_ topic: String) { note = "told, and not asked: \(topic.displaySafe)" }

  // MARK: Keys

  mutating func pressed(_ key: Key, at now: ContinuousClock.Instant) -> [Act] {
    if key == .interrupt, mode != .reasoning { return [.leave] }
    guard !isTooSmall else { return [] }
    switch mode {
    case .helping: mode = .looking
    case .reasoning: return write(key, at: now)
    case .confirming:
      mode = .looking
      guard key == .character("h") else {
        note = "nothing was sent"
        return []
      }
      return decide(.handle(shown?.rewritten), "handled", at: now)
    case .looking: return look(key, at: now)
    }
    return []
  }

  private mutating func look(_ key: Key, at now: ContinuousClock.Instant) -> [Act] {
    let page = AskPage.room(in: size)
    note = nil
    switch key {
    case .character("q"): return [.leave]
    case .character("?"): mode = .helping
    case .character("n"): turn(by: 1, at: now)
    case .character("p"): turn(by: -1, at: now)
    case .down, .character("j"): look(by: 1)
    case .up, .character("k"): look(by: -1)
    case .pageDown, .character(" "): look(by: page)
    case .pageUp: look(by: -page)
    case .end, .character("G"): look(by: .max / 2)
    case .home, .character("g"): look(by: .min / 2)
    case .character(let letter) where "arehf".unicodeScalars.contains(letter): return begin(letter, at: now)
    default: break
    }
    return []
  }

  /// A key that decides, or begins to.
  private mutating func begin(_ letter: Unicode.Scalar, at now: ContinuousClock.Instant) -> [Act] {
    guard let shown, now >= decidesFrom else { return [] }
    guard shown.lapse == nil else {
      note = "too late; nothing was sent; n goes on"
      return []
    }
    note = nil
    switch letter {
    case "a":
      let word = shown.rewritten == nil ? "approved" : "approved, changed"
      if hasRead() { return decide(.approve(shown.rewritten), word, at: now) }
    case "h": if hasRead() { mode = .confirming }
    case "r": mode = .reasoning
    case "e": return [.edit(shown.id)]
    default: return decide(.fail("the person can't say"), "can't say", at: now)
    }
    return []
  }

  /// Whether the person has seen all of it; if not, it is told how.
  private mutating func hasRead() -> Bool {
    guard shown?.isSeen != true else { return true }
    note = "there is more below: read it to its end first (space, G)"
    return false
  }
  private mutating func write(_ key: Key, at now: ContinuousClock.Instant) -> [Act] {
    guard let index else { return [] }
    switch key {
    case .interrupt:
      mode = .looking
      note = "nothing was sent"
    case .backspace: questions[index].reason.unicodeScalars = .init(questions[index].reason.unicodeScalars.dropLast())
    case .character(let scalar) where questions[index].reason.unicodeScalars.count < AskDesk.mostReason:
      questions[index].reason.unicodeScalars.append(scalar)
    case .enter:
      let reason = questions[index].reason.trimmed
      if questions[index].lapse != nil {
        mode = .looking
      } else if !reason.isEmpty {
        return decide(.reject(reason), "refused", at: now)
      }
    default: break
    }
    return []
  }

  private mutating func decide(_ answer: Answer, _ word: String, at now: ContinuousClock.Instant) -> [Act] {
    guard let index else { return [] }
    let question = questions.remove(at: index)
    mode = .looking
    note = "sent: \(word), \(question.topic.displaySafe), walk \(question.walk)"
    show(questions.indices.contains(index) ? questions[index].id : questions.last?.id, at: now)
    return [.answer(question.id, answer)]
  }

  // MARK: What is shown

  private mutating func show(_ id: Int?, at now: ContinuousClock.Instant) {
    shownID = id
    mode = .looking
    decidesFrom = now + AskDesk.pause
    layOut()
  }

  private mutating func layOut() {
    text = shown.map { AskPage.text(of: $0, in: size) } ?? []
    look(by: 0)
  }

  /// Shows the next question, or the one before. One that has lapsed is put away.
  private mutating func turn(by step: Int, at now: ContinuousClock.Instant) {
    guard let index else { return }
    note = nil
    if questions[index].lapse != nil {
      questions.remove(at: index)
      let next = step > 0 ? index : index - 1
      return show(questions.isEmpty ? nil : questions[min(max(next, 0), questions.count - 1)].id, at: now)
    }
    let next = (index + step + questions.count) % questions.count
    if next != index { show(questions[next].id, at: now) }
  }

  /// Scrolls the text, and notes whether its end is seen.
  private mutating func look(by lines: Int) {
    guard let index, !isTooSmall else { return }
    let last = max(text.count - AskPage.room(in: size), 0)
    questions[index].offset = min(max(questions[index].offset + lines, 0), last)
    if questions[index].offset == last { questions[index].isSeen = true }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
