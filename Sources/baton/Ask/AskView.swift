import BatonClient

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Shows the desk on the terminal, and carries out what the person decides.
struct AskView {
  private var desk: AskDesk
  private let screen: Screen
  private let terminal: TerminalEvents
  private let asked: AskedMessages
  private let place: String
  private let tell: @Sendable (Event) -> Void
  /// The lines on the screen.
  private var drawn: [String] = []
  /// The question whose payload the person is editing; nil if there is none.
  private var editing: Int?
  /// Why it ends; nil while it goes on.
  private var end: End?

  /// What the view waits for.
  private enum Event: Sendable {
    case terminal(TerminalEvents.Event)
    case news(AskedMessages.News)
    case connection(String)
    case links(Int)
    case edited(Int, Result<EditedText, EditedText.Fault>)
    case closed((any Error)?)
    case tick
  }

  private enum End {
    case left
    case signal(Int32)
    case gone
    case failed(any Error)
  }

  /// How often the time that is left is drawn anew.
  private static let pause = Duration.milliseconds(200)

  /// Serves the link until the person leaves. Throws if the server refuses it, or the client ends. Returns false if somebody
  /// else has the place now.
  static func run(_ link: Link, by baton: Baton) async throws -> Bool {
    Terminal.awaitForeground()
    let (events, stream) = AsyncStream.makeStream(of: Event.self)
    let asked = AskedMessages { stream.yield(.news($0)) }
    let numbers = Numbers()
    let client = try await baton.reporting { stream.yield(.connection($0)) }
      .handler(link, beginning: { asked.take($0, as: numbers.next()) }).connect()
    let terminal = try TerminalEvents()
    let takesKeys = try await terminal.start { stream.yield(.terminal($0)) }
    let screen = Screen(takesKeys: takesKeys)
    let desk = AskDesk(window: link.window ?? Ask.window, size: Terminal.size, at: .now)
    var view = AskView(
      desk: desk, screen: screen, terminal: terminal, asked: asked, place: "\(link.chain)/\(link.name)",
      tell: { stream.yield($0) })
    let ticking = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: pause)
        stream.yield(.links(await client.links.count))
        stream.yield(.tick)
      }
    }
    let closing = Task {
      do {
        try await client.untilClosed()
        stream.yield(.closed(nil))
      } catch { stream.yield(.closed(error)) }
    }
    screen.enter()
    let end = await view.show(events)
    screen.leave()
    ticking.cancel()
    await terminal.stop()
    for question in view.desk.questions { await asked.answer(question.id, .failed("the person has left")) }
    await client.drain()
    closing.cancel()
    switch end {
    case .left: return true
    case .gone: return false
    case .failed(let error): throw error
    case .signal(let number):
      // The program ends by the signal itself, so that its parent sees it.
      TerminalEvents.take(number)
      return true
    }
  }

  private init(
    desk: AskDesk, screen: Screen, terminal: TerminalEvents, asked: AskedMessages, place: String,
    tell: @escaping @Sendable (Event) -> Void
  ) {
    self.desk = desk
    self.screen = screen
    self.terminal = terminal
    self.asked = asked
    self.place = place
    self.tell = tell
  }

  // MARK: What happens

  private mutating func show(_ events: AsyncStream<Event>) async -> End {
    draw()
    for await event in events {
      await take(event)
      if let end { return end }
      if editing == nil { draw() }
    }
    return .left
  }

  private mutating func take(_ event: Event) async {
    let now = ContinuousClock.now
    switch event {
    case .tick: break
    case .news(.came(let question)): if desk.came(question, at: now) { screen.ring() }
    case .news(.told(let topic)): desk.told(topic)
    case .news(.lapsed(let id, let why, _)): desk.lapsed(id, because: why, at: now)
    case .connection(let text): desk.trouble = text.hasPrefix("connected") ? nil : text
    case .links(0): end = .gone
    case .links: break
    case .closed(let error): end = error.map { .failed($0) } ?? .gone
    case .edited(let id, let result): await edited(id, result, at: now)
    case .terminal(.resized): desk.resized(to: Terminal.size)
    case .terminal(.signal(let number)):
      // These are for the editor, which has the terminal.
      if editing == nil || number != SIGINT && number != SIGQUIT { end = .signal(number) }
    case .terminal(.resumed): await resumed()
    case .terminal(.key(.suspend)): suspend()
    case .terminal(.key(.redraw)): drawn = []
    case .terminal(.key(let key)):
      guard editing == nil else { return }
      for act in desk.pressed(key, at: now) { await carryOut(act) }
    }
  }

  private mutating func carryOut(_ act: AskDesk.Act) async {
    switch act {
    case .leave: end = .left
    case .answer(let id, let answer): await asked.answer(id, answer.verdict)
    case .edit(let id): await edit(id)
    }
  }

  /// Gives the terminal to the shell until the shell resumes the program.
  private mutating func suspend() {
    // The editor has stopped itself, and this program is of the same job.
    screen.leave()
    TerminalEvents.stop()
    if editing == nil { screen.enter() }
    drawn = []
  }

  /// Goes on after a stop, unless the editor has the terminal.
  private mutating func resumed() async {
    guard editing == nil else { return }
    screen.retake()
    await terminal.readKeys()
    desk.resized(to: Terminal.size)
    drawn = []
  }

  // MARK: The editor

  private mutating func edit(_ id: Int) async {
    guard let text = desk.text(toEdit: id) else { return }
    editing = id
    await terminal.leaveKeys()
    screen.leave()
    let tell = tell
    Task {
      do throws(EditedText.Fault) {
        tell(.edited(id, .success(try await Editor.edit(text))))
      } catch {
        tell(.edited(id, .failure(error)))
      }
    }
  }

  private mutating func edited(
    _ id: Int, _ result: Result<EditedText, EditedText.Fault>, at now: ContinuousClock.Instant
  ) async {
    editing = nil
    screen.enter()
    drawn = []
    await terminal.readKeys()
    desk.resized(to: Terminal.size)
    switch result {
    case .success(let text): desk.edited(id, text, at: now)
    case .failure(let fault): desk.editorFailed(fault.words, at: now)
    }
  }

  private mutating func draw() {
    let lines = AskPage(desk: desk, place: place, paint: .output, now: .now).lines
    guard lines != drawn else { return }
    drawn = lines
    screen.draw(lines)
  }
}

extension AskDesk.Answer {
  fileprivate var verdict: Verdict {
    switch self {
    case .approve(let payload): payload.map { .continue(rewriting: $0) } ?? .continue
    case .handle(let payload): payload.map { .handled($0) } ?? .handled
    case .reject(let reason): .reject(reason)
    case .fail(let why): .failed(why)
    }
  }
}
