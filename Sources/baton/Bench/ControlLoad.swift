/// The control client: its own round trips, messages and broadcasts in turn. None may be lost, come twice or be missed.
final class ControlLoad {
  static let chain = "bench-control"
  private let load: Load
  private var client: ControlClient?
  private let options: BenchOptions
  private var ready = 0
  /// Called when its handler and its subscription are there.
  private let isReady: () throws -> Void

  /// Its connections.
  static let connections = 2

  init(_ load: Load, options: BenchOptions, isReady: @escaping () throws -> Void) {
    self.load = load
    self.options = options
    self.isReady = isReady
  }

  func start() throws {
    let insert = LoadLines.insert(1, chain: Self.chain, window: max(options.window, 256))
    _ = try LoadHandler(load, insert: insert, verdict: "handled") { [unowned self] in try partIsReady() }
    client = try ControlClient(load, options: options) { [unowned self] in try partIsReady() }
  }

  /// Sends the first; `cameBack` is called after each round trip.
  func begin(cameBack: @escaping () -> Void) { client?.begin(cameBack: cameBack) }

  private func partIsReady() throws {
    ready += 1
    if ready == Self.connections { try isReady() }
  }
}

/// Sends messages and broadcasts, and gets their results and events, over one connection.
private final class ControlClient: LoadPeer {
  /// What a place of the window waits for.
  private enum Awaited {
    case nothing, result, event
  }

  private let sends: LoadBuffer
  private let broadcasts: LoadBuffer
  private let bytes: Int
  private var sentAt: [Int64]
  private var awaited: [Awaited]
  private var inFlight = 0
  private let isReady: () throws -> Void
  private var cameBack: () -> Void = {}

  init(_ load: Load, options: BenchOptions, isReady: @escaping () throws -> Void) throws {
    bytes = options.bytes
    sends = LoadLines.sends(options.window, bytes: options.bytes, chain: ControlLoad.chain)
    broadcasts = LoadLines.controls(options.window, bytes: options.bytes)
    sentAt = Array(repeating: 0, count: options.window)
    awaited = Array(repeating: .nothing, count: options.window)
    self.isReady = isReady
    try super.init(load)
  }

  override func opened() { say(LoadLines.subscribeToControl) }

  func begin(cameBack: @escaping () -> Void) {
    self.cameBack = cameBack
    for place in sentAt.indices { send(place, .result) }
  }

  private func send(_ place: Int, _ kind: Awaited) {
    let lines = kind == .result ? sends.bytes : broadcasts.bytes
    sentAt[place] = load.now
    awaited[place] = kind
    inFlight += 1
    say(UnsafeRawBufferPointer(rebasing: lines[place * bytes..<(place + 1) * bytes]))
  }

  override func took(_ line: UnsafeRawBufferPointer) {
    let start = "{\"op\":\"result\",\"id\":"
    if line.starts(with: start.utf8) {
      let (place, rest) = number(of: line, from: start.utf8.count)
      guard rest.starts(with: ",\"status\":\"handled\"".utf8) else { return load.fail(BenchFailure(unexpected: line)) }
      return took(.result, at: place, line)
    }
    if line.starts(with: LoadLines.controlEvent.utf8) {
      return took(.event, at: number(of: line, from: LoadLines.controlEvent.utf8.count).number, line)
    }
    guard line.starts(with: "{\"op\":\"ok\"".utf8) else { return load.fail(BenchFailure(unexpected: line)) }
    do { try isReady() } catch { load.fail(BenchFailure("\(error)")) }
  }

  /// Takes what a place has waited for; anything else is a fault.
  private func took(_ kind: Awaited, at place: Int, _ line: UnsafeRawBufferPointer) {
    guard awaited.indices.contains(place), awaited[place] == kind else {
      return load.fail(BenchFailure(unexpected: line))
    }
    awaited[place] = .nothing
    inFlight -= 1
    load.cameBack(sentAt: sentAt[place])
    if !load.isLanding {
      cameBack()
      send(place, kind == .result ? .event : .result)
    } else if inFlight == 0 {
      load.landed()
    }
  }

  private func number(
    of line: UnsafeRawBufferPointer, from start: Int
  ) -> (number: Int, rest: Slice<UnsafeRawBufferPointer>) {
    var number = 0
    var at = start
    while at < line.count, line[at] &- UInt8(ascii: "0") < 10 {
      number = number &* 10 &+ Int(line[at] &- UInt8(ascii: "0"))
      at += 1
    }
    return (at == start ? -1 : number, line[at...])
  }
}
