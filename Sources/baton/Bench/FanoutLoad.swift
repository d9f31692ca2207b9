import UV

/// One broadcaster with a window of broadcasts in flight, and their subscribers. A broadcast is in flight until every
/// subscriber has it.
final class FanoutLoad: LoadScenario {
  private let load: Load
  private let subscribers: Int
  private let window: Int
  private let line: String
  private var ready = 0
  private var broadcaster: LoadBroadcaster?
  /// The bytes of every event: all are alike. Known from the first, which is sent before the load begins.
  fileprivate var eventBytes = 0
  /// For each place of the window, how many subscribers have not got the broadcast, and when it was sent.
  private var missing: UnsafeMutableBufferPointer<Int>
  fileprivate var sentAt: UnsafeMutableBufferPointer<Int64>

  init(_ load: Load, subscribers: Int, options: BenchOptions) {
    self.load = load
    self.subscribers = subscribers
    window = options.window
    line = LoadLines.broadcast(bytes: options.bytes)
    missing = .allocate(capacity: window)
    missing.initialize(repeating: 0)
    sentAt = .allocate(capacity: window)
    sentAt.initialize(repeating: 0)
  }

  deinit {
    missing.deallocate()
    sentAt.deallocate()
  }

  var connections: Int { subscribers + 1 }

  func start() throws {
    for _ in 0..<subscribers { _ = try LoadSubscriber(load, of: self) }
  }

  fileprivate func subscriberIsReady() throws {
    ready += 1
    guard ready == subscribers else { return }
    ready = 0
    broadcaster = try LoadBroadcaster(load, line: line)
  }

  fileprivate func subscriberHasFirstEvent(bytes: Int) {
    eventBytes = bytes
    ready += 1
    guard ready == subscribers else { return }
    load.begin()
    for place in 0..<window { broadcast(place) }
  }

  private func broadcast(_ place: Int) {
    missing[place] = subscribers
    sentAt[place] = load.now
    broadcaster?.broadcast()
  }

  /// A subscriber has got the broadcast at that place of the window. Every subscriber gets them in order, so they also
  /// end in order, and broadcast `n + window` uses the place of broadcast `n`.
  @inline(__always)
  fileprivate func arrived(_ place: Int) -> Int {
    load.cameBack(sentAt: sentAt[place])
    missing[place] -= 1
    if missing[place] == 0 { broadcast(place) }
    return place + 1 == window ? 0 : place + 1
  }
}

/// Counts events by their bytes once it has seen the first.
private final class LoadSubscriber: LoadPeer {
  private let fanout: FanoutLoad
  private var hasEvent = false
  private var place = 0
  /// Bytes of an event that has not come whole.
  private var rest = 0

  init(_ load: Load, of fanout: FanoutLoad) throws {
    self.fanout = fanout
    try super.init(load)
  }

  override func opened() { say(LoadLines.subscribe) }

  override func took(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "{\"op\":\"event\"".utf8) {
      hasEvent = true
      fanout.subscriberHasFirstEvent(bytes: line.count + 1)
    } else if line.starts(with: "{\"op\":\"ok\"".utf8) {
      do { try fanout.subscriberIsReady() } catch { load.fail(BenchFailure("\(error)")) }
    } else {
      load.fail(BenchFailure(unexpected: line))
    }
  }

  override func took(bytes: UnsafeRawBufferPointer) {
    guard hasEvent else { return takeLines(bytes) }
    var end = fanout.eventBytes - rest
    while end <= bytes.count {
      guard bytes[end - 1] == 0x0A else { return load.fail(BenchFailure(unexpected: bytes)) }
      place = fanout.arrived(place)
      end += fanout.eventBytes
    }
    rest = bytes.count - (end - fanout.eventBytes)
  }
}

/// Broadcasts the same line again and again.
private final class LoadBroadcaster: LoadPeer {
  private var line = LoadBuffer()

  init(_ load: Load, line text: String) throws {
    line.append(text)
    try super.init(load)
  }

  override func opened() { broadcast() }

  func broadcast() { say(line.bytes) }

  /// `{"op":"ok","delivered":100}`
  override func took(_ line: UnsafeRawBufferPointer) {
    guard line.count > 8, line[7] == UInt8(ascii: "o"), line[8] == UInt8(ascii: "k") else {
      return load.fail(BenchFailure(unexpected: line))
    }
  }
}
