/// What a person sees of the desk.
struct AskPage {
  let desk: AskDesk
  let place: String
  let paint: Paint
  let now: ContinuousClock.Instant

  /// Lines that are not the question's text: two above it, and four below.
  private static let frame = 6
  /// What stands before each line of text.
  private static let edge = Glyphs.mayBeWide ? "|" : Glyphs.current.edge

  /// How many lines of text a screen shows.
  static func room(in size: (columns: Int, rows: Int)) -> Int { max(size.rows - frame, 1) }

  /// The text of a question in lines that fit.
  static func text(of question: Question, in size: (columns: Int, rows: Int)) -> [String] {
    question.text(within: size.columns - edge.count - 1)
  }

  private var width: Int { desk.size.columns }

  /// The lines of the screen.
  var lines: [String] {
    guard !desk.isTooSmall else {
      let words = "too small: it needs \(AskDesk.least.columns) columns and \(AskDesk.least.rows) rows"
      return Array(words.wrapped(to: width).map { $0.fitted(to: width) }.prefix(desk.size.rows))
    }
    if desk.mode == .helping { return filled(AskPage.help.map { $0.fitted(to: width) }, to: desk.size.rows) }
    guard let question = desk.shown else { return empty }
    let isOver = question.lapse != nil || desk.trouble != nil
    let text = desk.text
    let room = AskPage.room(in: desk.size)
    let shown = text.dropFirst(question.offset).prefix(room)
    let body = shown.map { line in
      isOver ? paint("\(AskPage.edge) \(line)", .dim) : paint(AskPage.edge, .dim) + " \(line)"
    }
    return [head(question, isOver), facts(question, isOver)] + filled(body, to: room)
      + [more(question, text.count, shown.count), state(question)] + keys(question)
  }

  private func filled(_ lines: [String], to count: Int) -> [String] {
    Array((lines + Array(repeating: "", count: max(count - lines.count, 0))).prefix(count))
  }

  /// `tools/human   2 of 5 waiting   00:41 ███████░░░░`
  private func head(_ question: Question, _ isOver: Bool) -> String {
    var words = "\(place)   \(desk.position) of \(desk.questions.count)"
    if desk.waiting != desk.questions.count { words += ", \(desk.waiting) waiting" } else { words += " waiting" }
    guard let ends = question.ends, !isOver else { return paint(words.fitted(to: width), isOver ? .dim : .bold) }
    let left = max(ends - now, .zero)
    let seconds = Int(left.components.seconds)
    let clock = "   \(two(seconds / 60)):\(two(seconds % 60)) "
    let whole = max(ends - question.came, .milliseconds(1))
    let parts = min(max(Int((left / whole * 11).rounded(.up)), 0), 11)
    let signs = Glyphs.current
    let gauge = String(repeating: signs.full, count: parts) + String(repeating: signs.gone, count: 11 - parts)
    let style: Style? = left < .seconds(10) ? .red : left < .seconds(30) ? .yellow : nil
    let room = width - clock.displayWidth - gauge.displayWidth
    return paint(words.fitted(to: room), .bold) + paint(clock + gauge, style)
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private func facts(_ question: Question, _ isOver: Bool) -> String {
    paint(question.facts.fitted(to: width), isOver ? .dim : nil)
  }

  private func more(_ question: Question, _ all: Int, _ shown: Int) -> String {
    let lines = "line \(question.offset + 1)\(Glyphs.current.dash)\(question.offset + shown) of \(all)"
    guard shown < all else { return "" }
    let isEnd = question.offset + shown == all
    let words = isEnd ? lines : "more below (space)" + (question.isSeen ? "" : ": a works at the end") + "   " + lines
    return paint(words.fitted(to: width), isEnd ? .dim : .yellow)
  }

  /// What the person is doing, or what has happened.
  private func state(_ question: Question) -> String {
    let (words, style): (String, Style?) =
      switch desk.mode {
      case .confirming: ("This ends here, and nothing behind runs. h once more: yes; any other key: no", .yellow)
      case .reasoning: (reason(question), question.lapse == nil ? .cyan : .dim)
      case .looking, .helping:
        if let lapse = question.lapse {
          ("too late; nothing was sent: \(lapse)", .red)
        } else if let trouble = desk.trouble {
          (trouble.displaySafe, .red)
        } else if let note = desk.note {
          (note.displaySafe, .green)
        } else if desk.waiting >= desk.window {
          (
            "\(desk.window) are here, and more may wait at the server; each fails when its share of the time is over",
            .yellow
          )
        } else {
          ("", nil)
        }
      }
    return paint(words.fitted(to: width), style)
  }

  /// The end of the reason, where it is longer than the line.
  private func reason(_ question: Question) -> String {
    let lead = question.lapse == nil ? "Refused because: " : "too late; nothing was sent: "
    var tail = question.reason.displaySafe
    while (lead + tail + "_").displayWidth > width, !tail.isEmpty { tail.removeFirst() }
    return lead + tail + "_"
  }

  private func keys(_ question: Question) -> [String] {
    if desk.mode == .reasoning {
      let words = question.lapse == nil ? "Enter sends it   Ctrl-C goes back" : "Enter goes back; n then goes on"
      return [paint(words.fitted(to: width), .dim), ""]
    }
    var first = question.lapse == nil ? "a approve  r reject  e edit  h take it  f can't say" : "n goes on"
    // The keys that decide are there when they count.
    if question.lapse == nil, now < desk.decidesFrom { first = "" }
    let second = "n/p other  ? help  q leave"
    return [paint(first.fitted(to: width), .bold), paint(second.fitted(to: width), .dim)]
  }

  /// Nobody waits.
  private var empty: [String] {
    let words = desk.trouble?.displaySafe ?? "Nothing waits. The next message to decide about is shown here."
    let note = desk.note.map { paint($0.displaySafe.fitted(to: width), .green) } ?? ""
    let lines = [
      paint(place.fitted(to: width), .bold), "", paint(words.fitted(to: width), desk.trouble == nil ? nil : .red),
    ]
    return filled(lines, to: desk.size.rows - 3) + [note, paint("? help  q leave".fitted(to: width), .dim), ""]
  }

  private static let help = [
    "a  approve: the message goes on to the next link, changed if you changed it",
    "r  reject: it ends here, and the sender is told why",
    "e  edit: the payload in $VISUAL or $EDITOR; a then sends it on as you left it",
    "h  take it: it ends here as handled; nothing behind runs",
    "f  can't say: the link fails; its policy says what follows",
    "n p      the next one, the one before",
    "space G  further down, to the end      k j g  up, down, to the top",
    "q  leave: what waits here fails, and the place stays if it is kept",
    "",
    "A key that decides counts half a second after the screen has changed.",
    "Any key goes back.",
  ]
}
