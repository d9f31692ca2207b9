import ArgumentParser
import BatonClient

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What fills the terminal.
protocol LivePage {
  /// The lines that stay at the top, and those that scroll below them, at most `width` columns wide.
  func lines(_ samples: Samples, width: Int, paint: Paint) -> (head: [String], body: [String])
  /// A key that only this page has, and what it does.
  var ownKey: (key: Unicode.Scalar, does: String)? { get }
  /// That key was pressed.
  mutating func ownKeyPressed()
}

/// Shows a page about the server and draws it again each second, until `q`.
struct LiveView {
  private var page: any LivePage
  private var samples: Samples?
  /// A message about the connection; nil if it works.
  private var trouble: String?
  private var isPaused = false
  /// Lines of the body above the first that is shown.
  private var offset = 0
  private let screen: Screen

  /// What the view waits for.
  private enum Event: Sendable {
    case terminal(TerminalEvents.Event)
    case looked(Inspection, at: ContinuousClock.Instant)
    case connection(String)
    case failed(BatonError)
  }

  /// Shows the page. Throws if there is no server at first, or if it refuses to be inspected. If the connection is lost
  /// later, the client connects again.
  static func run(_ page: any LivePage, _ wanted: InspectionRequest, on server: ServerOptions) async throws {
    Terminal.awaitForeground()
    let (events, stream) = AsyncStream.makeStream(of: Event.self)
    // The heartbeat tells a server that hangs from a server without news.
    let client = try await server.baton(named: "cli").heartbeat(.seconds(2)).patience(.seconds(1))
      .reporting { stream.yield(.connection($0)) }.connect()
    let looking = Task { await look(wanted, by: client) { stream.yield($0) } }
    let terminal = try TerminalEvents()
    let takesKeys = try await terminal.start { stream.yield(.terminal($0)) }
    var view = LiveView(page: page, screen: Screen(takesKeys: takesKeys))
    let end: Result<Int32?, BatonError>
    view.screen.enter()
    do throws(BatonError) { end = .success(try await view.show(events, terminal)) } catch { end = .failure(error) }
    view.screen.leave()
    looking.cancel()
    await terminal.stop()
    await client.close()
    // The program ends by the signal itself, so that its parent sees it.
    if let signal = try end.get() { TerminalEvents.take(signal) }
  }

  private init(page: any LivePage, screen: Screen) {
    self.page = page
    self.screen = screen
  }

  /// Inspects the server each second, until the task is cancelled.
  private static func look(
    _ wanted: InspectionRequest, by client: Client, tell: @Sendable (Event) -> Void
  ) async {
    while !Task.isCancelled {
      do {
        tell(.looked(try await client.inspect(wanted).seen, at: .now))
      } catch let error as BatonError {
        switch error {
        // The client itself reports about its connection.
        case .unreachable, .connectionLost: break
        default: tell(.failed(error))
        }
      } catch {}
      try? await Task.sleep(for: .seconds(1))
    }
  }

  // MARK: What happens

  /// Draws until the end; returns the signal that ended it, if any.
  private mutating func show(
    _ events: AsyncStream<Event>, _ terminal: TerminalEvents
  ) async throws(BatonError) -> Int32? {
    for await event in events {
      switch event {
      case .looked(let seen, let now):
        trouble = nil
        guard !isPaused else { continue }
        if samples?.add(seen, at: now) == nil { samples = Samples(seen, at: now) }
      case .connection(let text): trouble = text
      case .failed(let error): throw error
      case .terminal(.signal(let number)): return number
      case .terminal(.resized): break
      case .terminal(.resumed):
        screen.retake()
        await terminal.readKeys()
      case .terminal(.key(let key)):
        if isEnd(key) { return nil }
        pressed(key)
      }
      draw()
    }
    return nil
  }

  private func isEnd(_ key: Key) -> Bool { [.character("q"), .character("Q"), .interrupt].contains(key) }

  private mutating func pressed(_ key: Key) {
    let rows = Terminal.size.rows
    switch key {
    case .up, .character("k"): offset -= 1
    case .down, .character("j"): offset += 1
    case .pageUp: offset -= rows / 2
    case .pageDown, .character(" "): offset += rows / 2
    case .home, .character("g"): offset = 0
    case .end, .character("G"): offset = .max / 2
    case .character("p"): isPaused.toggle()
    case .character(let other) where other == page.ownKey?.key: page.ownKeyPressed()
    case .suspend: suspend()
    default: break
    }
  }

  /// Gives the terminal to the shell until the shell resumes the program.
  private func suspend() {
    screen.leave()
    TerminalEvents.stop()
    screen.enter()
  }

  // MARK: The picture

  private mutating func draw() {
    let (columns, rows) = Terminal.size
    let paint = Paint.output
    guard let samples else { return screen.draw([(trouble ?? "").displaySafe.fitted(to: columns)]) }
    let (head, body) = page.lines(samples, width: columns, paint: paint)
    let room = max(rows - head.count - 1, 0)
    offset = min(max(offset, 0), max(body.count - room, 0))
    let shown = body.dropFirst(offset).prefix(room)
    let filling = Array(repeating: "", count: room - shown.count)
    let footer = footer(shown: shown.count, of: body.count, width: columns, paint: paint)
    screen.draw(Array((head + shown + filling).prefix(max(rows - 1, 0))) + [footer])
  }

  private func footer(shown: Int, of all: Int, width: Int, paint: Paint) -> String {
    if let trouble { return paint(trouble.displaySafe.fitted(to: width), .red) }
    var words = ["q quit", isPaused ? "p continue" : "p pause"]
    let signs = Glyphs.current
    if shown < all { words.append("\(signs.upDown) scroll (\(offset + 1)\(signs.dash)\(offset + shown) of \(all))") }
    if let own = page.ownKey { words.append("\(own.key) \(own.does)") }
    let text = (isPaused ? "PAUSED  " : "") + words.joined(separator: "  ")
    return paint(text.fitted(to: width), isPaused ? .yellow : .dim)
  }
}
