import UV

/// One sender with a window of messages in flight, and handlers that pass every message on to the last, which handles
/// it. Without its own handlers, other programs must handle every message.
final class ChainLoad: LoadScenario {
  private let load: Load
  private let handlers: Int
  private let chain: String
  private let window: Int
  private let bytes: Int
  private var ready = 0

  init(_ load: Load, handlers: Int, chain: String, options: BenchOptions) {
    self.load = load
    self.handlers = handlers
    self.chain = chain
    window = options.window
    bytes = options.bytes
  }

  var connections: Int { handlers + 1 }

  func start() throws {
    guard handlers > 0 else { return try startSender() }
    for place in 1...handlers {
      let insert = LoadLines.insert(place, chain: chain, window: max(window, 256))
      let verdict = place == handlers ? "handled" : "continue"
      _ = try LoadHandler(load, insert: insert, verdict: verdict) { [unowned self] in try handlerIsReady() }
    }
  }

  private func handlerIsReady() throws {
    ready += 1
    if ready == handlers { try startSender() }
  }

  private func startSender() throws {
    _ = try LoadSender(load, lines: LoadLines.sends(window, bytes: bytes, chain: chain), window: window)
  }
}

/// Keeps its window full: the line of each message is sent again when its result has come.
private final class LoadSender: LoadPeer {
  private let lines: LoadBuffer
  private let bytes: Int
  private var sentAt: UnsafeMutableBufferPointer<Int64>

  init(_ load: Load, lines: consuming LoadBuffer, window: Int) throws {
    bytes = lines.count / window
    self.lines = lines
    sentAt = .allocate(capacity: window)
    sentAt.initialize(repeating: 0)
    try super.init(load)
  }

  deinit { sentAt.deallocate() }

  override func opened() {
    load.begin()
    for id in sentAt.indices { send(id) }
  }

  @inline(__always)
  private func send(_ id: Int) {
    sentAt[id] = load.now
    say(lines.part(id * bytes, (id + 1) * bytes))
  }

  /// `{"op":"result","id":17,"status":"handled",…`
  override func took(_ line: UnsafeRawBufferPointer) {
    var id = 0
    var at = 20
    while at < line.count, line[at] &- UInt8(ascii: "0") < 10 {
      id = id &* 10 &+ Int(line[at] &- UInt8(ascii: "0"))
      at += 1
    }
    guard at + 11 < line.count, line[7] == UInt8(ascii: "r"), line[at + 11] == UInt8(ascii: "h"), id < sentAt.count,
      id >= 0
    else { return load.fail(BenchFailure(unexpected: line)) }
    load.cameBack(sentAt: sentAt[id])
    send(id)
  }
}
