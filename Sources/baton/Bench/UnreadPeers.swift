/// A subscriber that never reads.
class UnreadPeer: LoadPeer {
  let number: Int

  init(_ load: Load, _ number: Int) throws {
    self.number = number
    try super.init(load)
  }

  override var reads: Bool { false }

  override func opened() { say("{\"op\":\"subscribe\",\"reply\":false,\"topics\":[\"\(UnreadLoad.topic)\"]}\n") }
}

/// A handler that never reads its offers, in its own chain.
final class UnreadHandler: UnreadPeer {
  override func opened() {
    let chain = UnreadLoad.chain(number)
    say("{\"op\":\"insert\",\"reply\":false,\"handler\":\"unread\",\"chain\":\"\(chain)\",\"window\":65536}\n")
    super.opened()
  }
}

/// A sender that never reads its results.
final class UnreadSender: UnreadPeer {
  func send() { say("{\"op\":\"send\",\"chain\":\"bench-echo\",\"topic\":\"\(UnreadLoad.topic).\(number)\"}\n") }
}

/// Answers the senders' messages with long payloads, and lets each sender send again.
final class UnreadEcho: LoadPeer {
  private let answered: (Int) -> Void
  private let ready: () throws -> Void

  init(_ load: Load, answered: @escaping (Int) -> Void, ready: @escaping () throws -> Void) throws {
    self.answered = answered
    self.ready = ready
    try super.init(load)
  }

  override func opened() { say("{\"op\":\"insert\",\"handler\":\"echo\",\"chain\":\"bench-echo\"}\n") }

  override func took(_ line: UnsafeRawBufferPointer) {
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("{\"op\":\"ok\"") {
      do { try ready() } catch { load.fail(BenchFailure("\(error)")) }
    } else if let sender = text.firstMatch(of: /^{"op":"offer","id":([0-9]+),.*"topic":"baton\.unread\.([0-9]+)"/) {
      say("{\"op\":\"handled\",\"id\":\(sender.1),\"payload\":\"\(UnreadLoad.filling)\"}\n")
      if let number = Int(sender.2) { answered(number) }
    } else {
      load.fail(BenchFailure(unexpected: line))
    }
  }
}

/// Sends messages to a handler that never reads, or to an empty chain.
final class UnreadFeeder: LoadPeer {
  private let number: Int
  private var inFlight = 0

  private static let most = 16

  init(_ load: Load, _ number: Int) throws {
    self.number = number
    try super.init(load)
  }

  private var start: String {
    "{\"op\":\"send\",\"chain\":\"\(UnreadLoad.chain(number))\",\"topic\":\"\(UnreadLoad.topic)\""
  }

  /// A long message that stays with the handler for as long as the run takes.
  func fill() { say("\(start),\"reply\":false,\"timeout_ms\":86400000,\"payload\":\"\(UnreadLoad.filling)\"}\n") }

  /// A message that waits in vain for a second. Sends none if enough of them wait.
  func send() {
    guard inFlight < Self.most else { return }
    inFlight += 1
    say("\(start),\"timeout_ms\":1000}\n")
  }

  override func took(_ line: UnsafeRawBufferPointer) {
    guard line.starts(with: "{\"op\":\"result\"".utf8) else { return load.fail(BenchFailure(unexpected: line)) }
    inFlight -= 1
  }
}

/// Broadcasts to the peers that never read, and learns for how many there was room.
final class UnreadProbe: LoadPeer {
  private let heard: (Int) -> Void
  private var inFlight = 0

  private static let most = 64

  init(_ load: Load, heard: @escaping (Int) -> Void) throws {
    self.heard = heard
    try super.init(load)
  }

  override func opened() { broadcast() }

  /// A broadcast, unless enough of them are on their way.
  func broadcast(filling: Bool = false) {
    guard inFlight < Self.most else { return }
    inFlight += 1
    let payload = filling ? UnreadLoad.filling : ""
    say("{\"op\":\"broadcast\",\"topic\":\"\(UnreadLoad.topic)\",\"payload\":\"\(payload)\"}\n")
  }

  /// `{"op":"ok","delivered":100}`
  override func took(_ line: UnsafeRawBufferPointer) {
    let start = "{\"op\":\"ok\",\"delivered\":"
    let number = String(decoding: line.dropFirst(start.utf8.count).dropLast(), as: UTF8.self)
    guard line.starts(with: start.utf8), let delivered = Int(number) else {
      return load.fail(BenchFailure(unexpected: line))
    }
    inFlight -= 1
    heard(delivered)
  }
}
